package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
)

// SetOutput chooses in which portions answers are shown to a person.
func (s *Settings) SetOutput(c echo.Context) error {
	mode := agent.OutputMode(c.FormValue("output"))
	if err := service.CheckOutputMode("output", mode); err != nil {
		return err
	}
	if err := s.Store.SetOutputMode(c.Request().Context(), request.Viewer(c).UserID, mode); err != nil {
		return err
	}
	s.Sessions.Flash(c, "Saved. It holds from the next run on.")
	return c.Redirect(http.StatusSeeOther, "/settings")
}

// outputChoices are the output modes in words; inherited is the one that takes
// the next wider setting.
func outputChoices(selected agent.OutputMode, inherited string) []page.Choice {
	choices := []page.Choice{
		{Value: "", Label: inherited},
		{Value: string(agent.OutputToken), Label: "As it is written"},
		{Value: string(agent.OutputSentence), Label: "Sentence by sentence"},
		{Value: string(agent.OutputWhole), Label: "The whole answer at once"},
	}
	for i := range choices {
		choices[i].Selected = choices[i].Value == string(selected)
	}
	return choices
}
