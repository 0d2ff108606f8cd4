"""Addresses of settings and of signing in; of allauth only what a closed house needs."""

from allauth.account import views as account
from django.urls import path, re_path

from fleet.people import views

urlpatterns = [
    path("settings/", views.change_settings, name="settings"),
    path("settings/language", views.choose_language, name="choose_language"),
    path("settings/drill", views.choose_drill, name="choose_drill"),
    path("settings/theme", views.choose_theme, name="choose_theme"),
    path("accounts/login/", account.login, name="account_login"),
    path("accounts/logout/", account.logout, name="account_logout"),
    path("accounts/inactive/", account.account_inactive, name="account_inactive"),
    path("accounts/signup/", account.signup, name="account_signup"),
    path("accounts/password/change/", account.password_change, name="account_change_password"),
    path("accounts/password/set/", account.password_set, name="account_set_password"),
    path("accounts/password/reset/", account.password_reset, name="account_reset_password"),
    path(
        "accounts/password/reset/done/",
        account.password_reset_done,
        name="account_reset_password_done",
    ),
    re_path(
        r"^accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "accounts/password/reset/key/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
]
