package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// answer sends the result of a call, unless the call failed.
func answer(c echo.Context, status int, body any, err error) error {
	if err != nil {
		return err
	}
	return c.JSON(status, body)
}

// noContent answers a call that has no result, unless the call failed.
func noContent(c echo.Context, status int, err error) error {
	if err != nil {
		return err
	}
	return c.NoContent(status)
}

// listPage answers one page of a list as the query asks for it (?limit=,
// ?cursor=): read fetches the rows and where the next page begins, view is a
// row as the API shows it.
func listPage[T, V any](c echo.Context, read func(agent.Page) ([]T, string, error), view func(T) V) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	rows, next, err := read(p)
	if err != nil {
		return err
	}
	items := make([]V, len(rows))
	for i, row := range rows {
		items[i] = view(row)
	}
	return c.JSON(http.StatusOK, request.Listing[V]{Items: items, NextCursor: next})
}

func asIs[T any](row T) T { return row }
