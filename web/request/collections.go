package request

import (
	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// Chosen reads the collections that the address names, each as a collectionId: all that are open
// to the viewer where it names none.
func Chosen(c echo.Context) (agent.CollectionChoice, error) {
	in := agent.CollectionChoice(c.QueryParams()["collectionId"])
	if len(in) == 0 {
		in = agent.Everything()
	}
	return in, in.Check("collectionId")
}
