package page

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/names"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Users shows the pages about users and takes their forms.
type Users struct {
	*site.Site
	// PublicURL is where links that are handed on lead.
	PublicURL string
}

// usersLimit is how many accounts one page lists.
const usersLimit = 50

// Show lists the accounts and has the form for a new one.
func (s *Users) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, page.UsersProps{})
}

// show renders the page with what a form that was refused has to say.
func (s *Users) show(c echo.Context, status int, p page.UsersProps) error {
	p.Query = site.Searched(c)
	users, next, err := s.Store.Users(c.Request().Context(), p.Query, agent.Page{Limit: usersLimit, Cursor: c.QueryParam("cursor")})
	if err != nil {
		return err
	}
	if p.Groups, err = s.Store.Groups(c.Request().Context()); err != nil {
		return err
	}
	all, err := s.Store.UserNames(c.Request().Context())
	if err != nil {
		return err
	}
	alike := names.Of(all)
	p.Users, p.Self, p.LooksLike = users, request.Viewer(c).UserID, map[string][]string{}
	for _, u := range users {
		p.LooksLike[u.ID] = alike.Like(u)
	}
	if next != "" {
		p.Next = "/admin/users?" + url.Values{"cursor": {next}, "find": {p.Query}}.Encode()
	}
	p.New.MinPassword = strconv.Itoa(service.MinPassword)
	if p.New.Role == "" {
		p.New.Role = agent.RoleUser
	}
	frame := s.Shell(c, site.Words(c).T("page.title.users"), "users")
	frame.Wide = true
	return s.Render(c, status, page.Users(frame, p))
}

// Create adds an account. Bad input and a taken address come back at their fields, with
// everything that was typed but the password.
func (s *Users) Create(c echo.Context) error {
	in := service.NewUser{
		Email: c.FormValue("email"), Password: c.FormValue("password"), Role: agent.Role(c.FormValue("role")), Group: c.FormValue("group"),
	}
	if in.Password == "" {
		return s.invite(c, in)
	}
	return s.Answer(c, site.Form{
		Save: func() (said, next string, err error) {
			u, err := s.Service.Users.Create(c.Request().Context(), in)
			if err != nil {
				return "", "", err
			}
			return s.created(c, u), "/admin/users", nil
		},
		Again: func(status int, fields map[string]string, problem string) error {
			if problem != "" {
				fields["email"] = site.Words(c).T("page.users.taken")
			}
			return s.refuse(c, status, fields)
		},
	})
}

// created says that there is an account, and what it looks like.
func (s *Users) created(c echo.Context, u agent.User) string {
	others, err := s.Service.Users.LookLike(c.Request().Context(), u)
	if err != nil || len(others) == 0 { // the page behind it says it too
		return site.Words(c).T("page.users.created", u.Email)
	}
	return site.Words(c).T("page.users.created_alike", u.Email, strings.Join(others, ", "))
}

// invite adds an account without a password and shows the link to set one, this once.
func (s *Users) invite(c echo.Context, in service.NewUser) error {
	link, err := s.Service.Users.Invite(c.Request().Context(), in)
	switch agent.CodeOf(err) {
	case "":
		return s.showLink(c, link, true)
	case agent.Invalid:
		return s.refuse(c, http.StatusUnprocessableEntity, request.FieldErrors(site.Words(c), err))
	case agent.Conflict:
		return s.refuse(c, http.StatusConflict, map[string]string{"email": site.Words(c).T("page.users.taken")})
	default:
		return err
	}
}

func (s *Users) refuse(c echo.Context, status int, fields map[string]string) error {
	return s.show(c, status, page.UsersProps{New: page.NewUser{
		Email: c.FormValue("email"), Role: agent.Role(c.FormValue("role")), Group: c.FormValue("group"), Errors: fields,
	}})
}

// Update sets an account's role, its group and whether it is disabled, as
// far as its form changes them: what another admin has changed since the form
// was shown stays. Conflict where no enabled admin would be left.
func (s *Users) Update(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form cannot be read.")
	}
	changed := func(name, was string) bool {
		return form.Has(name) && (!form.Has(was) || form.Get(name) != form.Get(was))
	}
	var patch agent.UserPatch
	if changed("role", "wasRole") {
		role := agent.Role(form.Get("role"))
		patch.Role = &role
	}
	if form.Has("disabled") {
		disabled := form.Get("disabled") == "true"
		patch.Disabled = &disabled
	}
	if changed("group", "wasGroup") {
		group := form.Get("group")
		patch.Group = &group
	}
	before, after, err := s.Service.Users.Change(c.Request().Context(), c.Param("id"), patch)
	switch agent.CodeOf(err) {
	case "":
	case agent.Conflict:
		return s.show(c, http.StatusConflict, page.UsersProps{
			Problem: site.Words(c).T("page.users.last_admin", before.Email),
		})
	case agent.Invalid:
		return s.show(c, http.StatusUnprocessableEntity, page.UsersProps{Problem: site.Words(c).T("page.users.unchanged", request.Said(site.Words(c), err))})
	default:
		return err
	}
	return s.Back(c, "/admin/users", userChange(site.Words(c), *before, *after))
}

// MakeReset makes a link with which a person can set a new password, and shows it, this
// once: only its hash is stored, so the answer to the form is the page itself.
func (s *Users) MakeReset(c echo.Context) error {
	link, err := s.Service.Users.NewReset(c.Request().Context(), c.Param("id"))
	if agent.CodeOf(err) == agent.Conflict {
		return s.show(c, http.StatusConflict, page.UsersProps{Problem: request.Said(site.Words(c), err)})
	}
	if err != nil {
		return err
	}
	return s.showLink(c, link, false)
}

func (s *Users) showLink(c echo.Context, link service.ResetLink, invites bool) error {
	return s.show(c, http.StatusCreated, page.UsersProps{Reset: &page.ResetLink{
		Email: link.User.Email, URL: request.PublicLink(c, s.PublicURL, request.ResetPath+link.Secret), Expires: link.Expires, Invites: invites,
	}})
}

// SignOut ends all sessions of an account.
func (s *Users) SignOut(c echo.Context) error {
	u, err := s.Store.UserByID(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	if err := s.Service.Users.EndSessions(c.Request().Context(), u.ID); err != nil {
		return err
	}
	return s.Back(c, "/admin/users", site.Words(c).T("page.users.signed_out", u.Email))
}

// userChange says what was changed.
func userChange(tr *text.Printer, before, after agent.User) string {
	switch {
	case after.Disabled && !before.Disabled:
		return tr.T("page.users.disabled", before.Email)
	case !after.Disabled && before.Disabled:
		return tr.T("page.users.enabled", before.Email)
	case after.Role != before.Role:
		return tr.T("page.users.role", before.Email, part.RoleWord(tr, string(before.Role)), part.RoleWord(tr, string(after.Role)))
	case after.Group == "" && before.Group != "":
		return tr.T("page.users.no_group", before.Email)
	case after.Group != before.Group:
		return tr.T("page.users.group", before.Email, after.Group)
	default:
		return tr.T("page.users.same", before.Email)
	}
}

// ShowRemove asks whether an account is to be removed.
func (s *Users) ShowRemove(c echo.Context) error { return s.showRemove(c, http.StatusOK, "") }

// showRemove names what goes with an account; problem is why it was not removed.
func (s *Users) showRemove(c echo.Context, status int, problem string) error {
	u, data, err := s.Service.Users.Data(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	tr := site.Words(c)
	p := page.UserRemoveProps{
		ID: u.ID, Email: u.Email, Problem: problem,
		Goes: []string{
			tr.T("user.remove.conversations", data.Conversations), tr.T("user.remove.runs", data.Runs), tr.T("user.remove.files"), tr.T("user.remove.tokens", data.Tokens),
			tr.T("user.remove.facts", data.Facts), tr.T("user.remove.documents", data.Documents), tr.T("user.remove.collections", data.Collections),
			tr.T("user.remove.budgets", data.Budgets),
		},
		Stays: []string{tr.T("user.remove.bill", agent.RemovedUser(u.ID)), tr.T("user.remove.audit"), tr.T("user.remove.decisions")},
	}
	switch {
	case u.ID == request.Viewer(c).UserID:
		p.Refused, p.Problem = true, tr.T("user.remove.self")
	case data.Active > 0:
		p.Refused, p.Problem = true, tr.T("user.remove.active", data.Active)
	}
	return s.Render(c, status, page.UserRemove(s.Shell(c, tr.T("user.remove.title", u.Email), "users"), p))
}

// Remove removes an account with what belongs to it.
func (s *Users) Remove(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	u, _, err := s.Service.Users.Data(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.Service.Users.Remove(ctx, request.Viewer(c), id)
	if agent.CodeOf(err) == agent.Conflict {
		return s.showRemove(c, http.StatusConflict, request.Said(site.Words(c), err))
	}
	if err != nil {
		return err
	}
	return s.Back(c, "/admin/users", site.Words(c).T("page.users.removed", u.Email))
}
