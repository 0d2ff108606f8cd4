"""The settings page and the switches in the header."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from fleet.access import PersonRequest, is_person, login_required, staff_required
from fleet.people import services
from fleet.people.forms import DrillForm, LanguageForm, SettingsForm, ThemeForm


@login_required
def change_settings(request: PersonRequest) -> HttpResponse:
    """Show and change one's own settings."""
    form = SettingsForm(request.POST or None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        with translation.override(request.user.language):
            messages.success(request, _("Your settings are saved."))
        return redirect("settings")
    if form.errors:
        request.user.refresh_from_db()
    return render(request, "people/settings.html", {"form": form})


@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """The language switch: for a person on their account, for a stranger in a cookie."""
    form = LanguageForm(request.POST)
    answer = _back(request)
    if form.is_valid():
        language = form.cleaned_data["language"]
        if is_person(request.user):
            services.choose_language(user=request.user, language=language)
        answer.set_cookie(settings.LANGUAGE_COOKIE_NAME, language, samesite="Lax")
    return answer


@require_POST
@login_required
def choose_theme(request: PersonRequest) -> HttpResponseBase:
    """The light and dark switch."""
    form = ThemeForm(request.POST)
    if form.is_valid():
        services.choose_theme(user=request.user, theme=form.cleaned_data["theme"])
    return _back(request)


@require_POST
@staff_required
def choose_drill(request: PersonRequest) -> HttpResponseBase:
    """Into drill mode, or back to the real fleet."""
    form = DrillForm(request.POST)
    if form.is_valid():
        services.choose_drill(user=request.user, drill_mode=form.cleaned_data["drill_mode"])
    return _back(request)


def _back(request: HttpRequest) -> HttpResponseRedirect:
    """To the page the switch was on, never to another site."""
    here = request.POST.get("next", "/")
    safe = url_has_allowed_host_and_scheme(here, {request.get_host()}, request.is_secure())
    return HttpResponseRedirect(here if safe else "/")
