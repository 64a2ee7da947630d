package request

import (
	"errors"
	"io"
	"mime/multipart"
	"strconv"

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
		return keptUpload(form, 0)
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return nil, errNoFile
	}
	sent, err := nextUpload(parts)
	if errors.Is(err, io.EOF) {
		err = errNoFile
	}
	return sent, err
}

// EachUpload hands over all files in fields named file, as they come.
func EachUpload(c echo.Context, take func(*Upload) error) error {
	if form := c.Request().MultipartForm; form != nil {
		for n := range form.File["file"] {
			sent, err := keptUpload(form, n)
			if err == nil {
				err = errors.Join(take(sent), sent.Close())
			}
			if err != nil {
				return err
			}
		}
		if len(form.File["file"]) > 0 {
			return nil
		}
		return errNoFile
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return errNoFile
	}
	for n := 0; ; n++ {
		sent, err := nextUpload(parts)
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return errNoFile
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := errors.Join(take(sent), sent.Close()); err != nil {
			return err
		}
	}
}

// nextUpload is the next file of a form; io.EOF where there is none.
func nextUpload(parts *multipart.Reader) (*Upload, error) {
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, echo.ErrStatusRequestEntityTooLarge), errors.Is(err, io.EOF):
			return nil, err
		case err != nil:
			return nil, agent.InvalidField("file", "was not uploaded completely; choose it again")
		case part.FormName() == "file" && part.FileName() != "":
			return &Upload{ReadCloser: part, Name: part.FileName()}, nil
		}
	}
}

// keptUpload is a file of a form that was read as a whole.
func keptUpload(form *multipart.Form, n int) (*Upload, error) {
	if n >= len(form.File["file"]) || form.File["file"][n].Filename == "" {
		return nil, errNoFile
	}
	header := form.File["file"][n]
	f, err := header.Open()
	return &Upload{ReadCloser: f, Name: header.Filename}, err
}

// Version is the version of a document that is asked for, 0 for none in particular.
func Version(c echo.Context) (int, error) {
	text := c.QueryParam("version")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, agent.InvalidField("version", "%q is not allowed; allowed: a number from 1, or nothing for the newest", text)
	}
	return n, nil
}
