"""Where the drill fleet stands and who rents there: the tables from which `plan.py` draws it."""

from dataclasses import dataclass

HUADONG, NORTHWIND = "Huadong Compute (drill)", "Northwind GPU Hosting (drill)"
# A region has one name: the drill's read well in both languages.
SHANGHAI, ZHONGWEI, SINGAPORE = "Shanghai 上海", "Zhongwei 中卫", "Singapore 新加坡"


@dataclass(frozen=True, slots=True)
class Site:
    """A region, one provider's room there, and how many nodes it has. `net` is 127.77.NET.x."""

    code: str
    region: str
    name: str
    jurisdiction: str
    carrier: str
    provider: str
    room: str
    nodes: int
    net: int
    ambient_c: int
    currency: str


SITES = (
    Site(
        "sh",
        "cn-shanghai",
        SHANGHAI,
        "CN",
        "China Telecom",
        HUADONG,
        "B2-301",
        10,
        1,
        23,
        "CNY",
    ),
    Site(
        "zw",
        "cn-zhongwei",
        ZHONGWEI,
        "CN",
        "China Unicom",
        HUADONG,
        "A1-105",
        8,
        2,
        20,
        "CNY",
    ),
    Site(
        "sg",
        "sg-singapore",
        SINGAPORE,
        "SG",
        "Singtel",
        NORTHWIND,
        "SG2-4F",
        6,
        3,
        25,
        "USD",
    ),
)
# Beyond the drill: as many more nodes as a scale run asks for.
MORE = Site(
    "ex",
    "cn-shanghai",
    SHANGHAI,
    "CN",
    "China Telecom",
    HUADONG,
    "B3-101",
    0,
    100,
    23,
    "CNY",
)
NODES = sum(site.nodes for site in SITES)
MOST_NODES = 1000  # recorded hosts; whole ones take a process each, up to 200
# Cards of the n-th node of a site, over and over.
CARDS = (8, 8, 4, 6, 8, 4)

BOARDS = (
    ("ASUS TUF RTX 4090 O24G", "1043:889a", "95.02.3C.40.93", 150, 600),
    ("Gigabyte RTX 4090 Windforce V2", "1458:40e6", "95.02.18.80.5F", 10, 600),
    ("MSI RTX 4090 Suprim X", "1462:5103", "95.02.3C.00.1E", 150, 530),
)
BUSES = ("01", "25", "41", "61", "81", "a1", "c1", "e1")
# (driver, the newer one an update would bring, CUDA, kernel, system)
SYSTEMS = (
    ("570.133.20", "570.172.08", "12.8", "6.8.0-60-generic", "Ubuntu 24.04.2 LTS"),
    ("550.144.03", "550.163.01", "12.4", "5.15.0-138-generic", "Ubuntu 22.04.5 LTS"),
    ("580.82.07", "580.95.05", "13.0", "6.8.0-79-generic", "Ubuntu 24.04.3 LTS"),
)


@dataclass(frozen=True, slots=True)
class Job:
    """What a lease runs: its image, its program, and what that does to a card."""

    image: str
    program: str
    load: float
    memory_mib: int
    doors: tuple[tuple[str, int], ...]


SSH, JUPYTER, HTTP = ("ssh", 22), ("jupyter", 8888), ("http", 8000)
JOBS = {
    "train": Job(
        "pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel",
        "/opt/conda/bin/python -u train.py --config configs/llama3-8b-lora.yaml",
        0.98,
        20814,
        (SSH, JUPYTER),
    ),
    "serve": Job(
        "vllm/vllm-openai:v0.8.4",
        "/usr/bin/python3 -m vllm.entrypoints.openai.api_server --model /workspace/qwen2.5-14b",
        0.55,
        22104,
        (SSH, HTTP),
    ),
    "render": Job(
        "linuxserver/blender:4.2.3",
        "/blender/blender -b /workspace/scene.blend -a -- --cycles-device OPTIX",
        0.94,
        14220,
        (SSH,),
    ),
    "idle": Job("nvidia/cuda:12.4.1-devel-ubuntu22.04", "/bin/bash", 0.0, 0, (SSH, JUPYTER)),
}


@dataclass(frozen=True, slots=True)
class Tenancy:
    """A lease of the drill: cards `first` up to, not with, `last` of a node."""

    order: str
    customer: str
    node: str
    first: int
    last: int
    job: str
    days: int


HERON, XINGHE = "Blue Heron Labs", "星河智算"
CUSTOMERS = {HERON: ("en", "Asia/Singapore"), XINGHE: ("zh-hans", "Asia/Shanghai")}
LEASES = (
    Tenancy("HH-20417", HERON, "sh-r01-n01", 0, 4, "train", 41),
    Tenancy("HH-20418", XINGHE, "sh-r01-n01", 4, 8, "serve", 38),
    Tenancy("HH-20433", XINGHE, "sh-r01-n02", 0, 8, "train", 29),
    Tenancy("HH-20440", HERON, "sh-r01-n03", 0, 4, "serve", 25),
    Tenancy("HH-20452", XINGHE, "sh-r01-n04", 0, 2, "render", 19),
    Tenancy("HH-20453", HERON, "sh-r01-n04", 2, 5, "idle", 18),
    Tenancy("HH-20461", HERON, "sh-r02-n01", 0, 8, "train", 16),
    Tenancy("HH-20466", XINGHE, "sh-r02-n03", 0, 8, "serve", 12),
    Tenancy("HH-20471", XINGHE, "zw-r01-n01", 0, 8, "train", 33),
    Tenancy("HH-20475", HERON, "zw-r01-n02", 0, 4, "render", 9),
    Tenancy("HH-20476", XINGHE, "zw-r01-n02", 4, 8, "train", 9),
    Tenancy("HH-20482", XINGHE, "zw-r01-n04", 0, 6, "serve", 6),
    Tenancy("HH-20490", HERON, "sg-r01-n01", 0, 8, "train", 22),
    Tenancy("HH-20494", HERON, "sg-r01-n02", 0, 4, "serve", 3),
)
