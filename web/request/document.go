package request

import (
	"errors"
	"io"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// DocumentOf reads the document in the field file.
func DocumentOf(c echo.Context) (d agent.OpenAPIDocument, err error) {
	sent, err := UploadOf(c)
	if err != nil {
		return d, err
	}
	defer func() { _ = sent.Close() }()
	d.Name = agent.Clip(sent.Name, 200)
	d.Body, err = io.ReadAll(io.LimitReader(sent, agent.MaxOpenAPIDocument+1))
	switch {
	case errors.Is(err, echo.ErrStatusRequestEntityTooLarge):
		return d, err
	case err != nil:
		return d, agent.InvalidField("file", "was not uploaded completely; choose it again")
	case len(d.Body) > agent.MaxOpenAPIDocument:
		return d, agent.InvalidField("file", "has more than %d MB; leave out what agents do not need", agent.MaxOpenAPIDocument>>20)
	}
	return d, nil
}
