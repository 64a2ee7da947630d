package request

import (
	"errors"
	"io"
	"mime/multipart"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// maxFormMemory is how much of a form with files is kept in memory.
const maxFormMemory = 1 << 20

// ReadFileForm reads a form with files as a whole, the files to the disk. It is for what
// has to know the other fields first.
func ReadFileForm(c echo.Context) error { return c.Request().ParseMultipartForm(maxFormMemory) }

// errNoFile is for a request without a file.
var errNoFile = agent.InvalidField("file", "is missing; send a form with a file in the field file")

// Upload is a file that a request carries. Close it.
type Upload struct {
	io.ReadCloser
	Name string
}

// UploadOf finds the file in the field file. It comes as it is sent: nothing of it is kept in
// memory.
func UploadOf(c echo.Context) (*Upload, error) {
	if form := c.Request().MultipartForm; form != nil {
		return keptUpload(form)
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return nil, errNoFile
	}
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, echo.ErrStatusRequestEntityTooLarge):
			return nil, err
		case errors.Is(err, io.EOF):
			return nil, errNoFile
		case err != nil:
			return nil, agent.InvalidField("file", "was not uploaded completely; choose it again")
		case part.FormName() == "file" && part.FileName() != "":
			return &Upload{ReadCloser: part, Name: part.FileName()}, nil
		}
	}
}

// keptUpload is a file of a form that was read as a whole.
func keptUpload(form *multipart.Form) (*Upload, error) {
	for _, header := range form.File["file"] {
		if header.Filename == "" {
			continue
		}
		f, err := header.Open()
		return &Upload{ReadCloser: f, Name: header.Filename}, err
	}
	return nil, errNoFile
}
