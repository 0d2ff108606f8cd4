"""Addresses of the desk."""

from django.urls import path

from tickets.desk import views

urlpatterns = [
    path("", views.home, name="home"),
    path("board/", views.board, name="board"),
    path("board/rows", views.board_rows, name="board_rows"),
    path("fleet/", views.fleet, name="fleet"),
    path("fleet/rows", views.fleet_rows, name="fleet_rows"),
    path("fleet/strip", views.strip_rows, name="strip_rows"),
    path("nodes/<int:pk>/", views.node, name="node"),
    path("nodes/<int:pk>/rows", views.node_rows, name="node_rows"),
    path("nodes/<int:pk>/examine", views.examine_node, name="examine_node"),
    path("leases/<int:pk>/", views.lease, name="lease"),
    path("leases/<int:pk>/rows", views.lease_rows, name="lease_rows"),
]
