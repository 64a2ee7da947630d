package page

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// SetNumbers takes the form of all numbers: all of it or nothing. Only
// what differs from what the form began with is saved, so that two admins do
// not undo each other's work.
func (s *Guards) SetNumbers(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	ctx := c.Request().Context()
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return err
	}
	next, changed := typedNumbers(config, form)
	if errs := s.numberErrors(site.Words(c), next, changed); len(errs) > 0 {
		return s.show(c, http.StatusUnprocessableEntity, guardsInput{
			tab:     page.ThresholdsTab,
			problem: site.Words(c).T("page.guards.not_saved", len(errs)),
			numbers: form, errors: errs,
		})
	}
	for _, key := range changed {
		if err := s.Store.SetGuardNumber(ctx, request.Viewer(c).Email, key, next.Numbers[key]); err != nil {
			return err
		}
	}
	said := site.Words(c).T("page.guards.saved", len(changed), present.InWords(site.Words(c), changed))
	if len(changed) == 0 {
		said = site.Words(c).T("page.guards.unchanged")
	}
	return s.Back(c, guardsPaths[page.ThresholdsTab], said)
}

// typedNumbers is the configuration with what was typed, and which numbers differ.
func typedNumbers(config agent.GuardConfig, form url.Values) (next agent.GuardConfig, changed []string) {
	next = config
	next.Numbers = map[string]agent.GuardOverride{}
	for _, n := range agent.GuardNumbers {
		o := config.Numbers[n.Key]
		typedInto(form, "value."+n.Key, &o.Value)
		typedInto(form, "most."+n.Key, &o.Most)
		next.Numbers[n.Key] = o
		if o != config.Numbers[n.Key] {
			changed = append(changed, n.Key)
		}
	}
	return next, changed
}

func typedInto(form url.Values, name string, field *string) {
	text := strings.TrimSpace(form.Get(name))
	if form.Has(name) && (!form.Has("was."+name) || text != form.Get("was."+name)) {
		*field = text
	}
}

// numberErrors checks changed numbers against their bounds and against each
// other. A conflict of two is shown at the one that it names first.
func (s *Guards) numberErrors(tr *text.Printer, next agent.GuardConfig, changed []string) map[string]string {
	errs := map[string]string{}
	if len(changed) == 0 {
		return errs
	}
	conflict := next.Effective(s.Guards, nil).Check()
	for _, key := range changed {
		for field, detail := range request.FieldErrors(tr, next.CheckNumber(s.Guards, key, next.Numbers[key])) {
			if conflict == nil || detail != request.Said(tr, conflict) {
				errs[field+"."+key] = detail
			}
		}
	}
	for key, detail := range request.FieldErrors(tr, conflict) {
		if errs["value."+key] == "" {
			errs["value."+key] = detail
		}
	}
	return errs
}
