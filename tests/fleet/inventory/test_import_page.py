"""The import page: look first, then write, once."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from fleet.inventory.importing.drafts import kind_of
from fleet.inventory.models import ImportDraft, KeyScan, Node

LIST = "name,provider,region,address\nn1,Sunrise,sh,10.0.0.1\nn2,Sunrise,sh,\n"


@pytest.fixture
def ops(make_user, client):
    person = make_user("ops")
    client.force_login(person)
    return person


def send(client, **fields):
    return client.post(reverse("import_nodes"), fields, follow=True)


def test_a_pasted_list_is_shown_before_anything_is_written(client, ops):
    page = send(client, text=LIST).content.decode()
    assert "What the import would do" in page
    assert "address: This cell must not be empty." in page
    assert "Write 1 row" in page
    assert not Node.objects.exists()


def test_the_press_writes_it_once_and_shows_what_it_did(client, ops):
    send(client, text=LIST)
    where = reverse("import_draft", args=[ImportDraft.objects.get().pk])
    page = client.post(where, follow=True).content.decode()
    assert "What the import did" in page
    assert Node.objects.get().name == "n1"
    assert KeyScan.objects.get().state == "queued"
    Node.objects.update(rack="later")
    client.post(where)
    assert Node.objects.get().rack == "later"


def test_an_uploaded_spreadsheet_in_gbk_is_read(client, ops):
    text = "主机,供应商,区域,地址\n甲,晨曦,上海,10.0.0.1\n".encode("gb18030")
    page = send(client, file=SimpleUploadedFile("list.csv", text)).content.decode()
    assert "晨曦" in page


def test_an_ssh_config_takes_provider_and_region_from_the_form(client, ops):
    page = send(client, text="Host a b\n Port 22\n", provider="Sunrise", region="sh")
    assert "Write 2 rows" in page.content.decode()


def test_all_or_nothing_offers_no_button_while_a_row_is_refused(client, ops):
    page = send(client, text=LIST, all_or_nothing="on").content.decode()
    assert "you asked to write all rows or none" in page
    draft = ImportDraft.objects.get()
    client.post(reverse("import_draft", args=[draft.pk]))
    assert not Node.objects.exists()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "Choose a file or paste a list."),
        ({"text": "name,colour\n"}, "Columns we do not know: colour."),
        ({"text": "name,address\n" + "a,b\n" * 601}, "more than 600 lines"),
        ({"file": SimpleUploadedFile("x.xlsx", b"PK\x03\x04\x00\x00")}, "no text in UTF-8 or GBK"),
    ],
)
def test_what_cannot_be_read_is_said_on_the_form(client, ops, fields, says):
    assert says in send(client, **fields).content.decode()
    assert not ImportDraft.objects.exists()


def test_a_list_is_seen_only_by_who_sent_it(client, ops, make_user):
    send(client, text=LIST)
    where = reverse("import_draft", args=[ImportDraft.objects.get().pk])
    client.force_login(make_user("ops"))
    assert client.get(where).status_code == 404


def test_nothing_is_imported_into_the_drill(client, ops):
    ops.drill_mode = True
    ops.save()
    assert "cannot be imported into the drill" in send(client, text=LIST).content.decode()
    assert not ImportDraft.objects.exists()


def test_what_a_list_says_is_shown_as_text(client, ops):
    page = send(client, text="name,address\n<script>alert(1)</script>,a\n").content.decode()
    assert "<script>alert(1)" not in page


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# x\n\nHost a\n", "ssh_config"),
        ("host=a\n", "ssh_config"),
        ("Include b\n", "ssh_config"),
        ("name,host\n", "csv"),
        ("", "csv"),
    ],
)
def test_the_kind_of_list_is_told_by_its_first_words(text, kind):
    assert kind_of(text) == kind
