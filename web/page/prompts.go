package page

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/present/invisible"
	"fusebox/web/request"
)

// Prompts is the page with the prompts of MCP servers. In a chat it is a dialog.
type Prompts struct {
	*Site
	Prompts service.ToolServers
}

// argumentPrefix begins the names of the fields that a prompt is told.
const argumentPrefix = "arg/"

// Show lists the prompts.
func (s *Prompts) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, page.PromptsProps{})
}

// Fill has a server write a prompt, and shows it.
func (s *Prompts) Fill(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form cannot be read.")
	}
	if err := request.NamedPrompt(form.Get("server"), form.Get("name")); err != nil {
		return err
	}
	args := map[string]string{}
	for name, values := range form {
		if arg, ok := strings.CutPrefix(name, argumentPrefix); ok && values[0] != "" {
			args[arg] = values[0]
		}
	}
	written, err := s.Prompts.Prompt(c.Request().Context(), request.Viewer(c), form.Get("server"), form.Get("name"), args)
	if err != nil {
		return s.show(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), page.PromptsProps{Problem: request.Said(words(c), err)})
	}
	return s.show(c, http.StatusOK, page.PromptsProps{Written: written})
}

func (s *Prompts) show(c echo.Context, status int, p page.PromptsProps) error {
	l := s.shell(c, words(c).T("prompts.title"), "")
	p.CSRF = l.CSRF
	if p.Written == "" && p.Problem == "" {
		p.Rows, p.Silent = s.list(c)
	}
	return s.render(c, status, page.Prompts(l, p))
}

// list are the prompts as the page shows them.
func (s *Prompts) list(c echo.Context) (rows []page.PromptRow, silent string) {
	found := s.Prompts.Prompts(c.Request().Context(), request.Viewer(c))
	for _, p := range found.Items {
		row := page.PromptRow{Server: p.Server, Name: p.Name, Title: invisible.Visible(cmp.Or(p.Title, p.Name)), Text: invisible.Visible(p.Description)}
		for _, a := range p.Arguments {
			row.Fields = append(row.Fields, page.PromptField{
				Name: argumentPrefix + a.Name, Label: invisible.Visible(cmp.Or(a.Title, a.Name)), Hint: invisible.Visible(a.Description), Required: a.Required,
			})
		}
		rows = append(rows, row)
	}
	return rows, strings.Join(found.Silent, ", ")
}
