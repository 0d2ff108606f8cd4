"""What people and programs do to the inventory; each act writes its event."""

from fleet.inventory.services.bastions import put_jump_host
from fleet.inventory.services.cards import add_gpu, change_gpu, move_gpu, relocate_gpu
from fleet.inventory.services.credentials import default_credential, make_credential
from fleet.inventory.services.hostkeys import (
    ask_for_scan,
    enrol,
    finish_scan,
    offer_host_key,
    pin_host_key,
    refuse_host_key,
)
from fleet.inventory.services.nodes import add_node, change_node, move_node

__all__ = [
    "add_gpu",
    "add_node",
    "ask_for_scan",
    "change_gpu",
    "change_node",
    "default_credential",
    "enrol",
    "finish_scan",
    "make_credential",
    "move_gpu",
    "move_node",
    "offer_host_key",
    "pin_host_key",
    "put_jump_host",
    "refuse_host_key",
    "relocate_gpu",
]
