package request

import (
	"cmp"
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
	for {
		part, err := nextPart(parts)
		switch {
		case errors.Is(err, io.EOF):
			return nil, errNoFile
		case err != nil:
			return nil, err
		case isFile(part):
			return &Upload{ReadCloser: part, Name: part.FileName()}, nil
		}
	}
}

// maxNamed is how long the value of a field beside files may be, in bytes.
const maxNamed = 200

// EachUpload hands over all files in fields named file, as they come, and returns what the form, or
// else the address, has in the field named: it may stand before the files, between them, or behind.
func EachUpload(c echo.Context, named string, take func(name string, content io.Reader) error) (value string, err error) {
	if form := c.Request().MultipartForm; form != nil {
		for n := range form.File["file"] {
			sent, err := keptUpload(form, n)
			if err == nil {
				err = errors.Join(take(sent.Name, sent), sent.Close())
			}
			if err != nil {
				return "", err
			}
		}
		if len(form.File["file"]) == 0 {
			return "", errNoFile
		}
		for _, v := range form.Value[named] {
			if value, err = oneValue(named, value, v); err != nil {
				return "", err
			}
		}
		return cmp.Or(value, c.QueryParam(named)), nil
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return "", errNoFile
	}
	for n := 0; ; {
		part, err := nextPart(parts)
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return "", errNoFile
		case errors.Is(err, io.EOF):
			return cmp.Or(value, c.QueryParam(named)), nil
		case err != nil:
			return "", err
		case isFile(part):
			n++
			err = take(part.FileName(), part)
		case part.FormName() == named:
			value, err = partValue(named, value, part)
		}
		if err = errors.Join(err, part.Close()); err != nil {
			return "", err
		}
	}
}

func partValue(named, before string, part io.Reader) (string, error) {
	sent, err := io.ReadAll(io.LimitReader(part, maxNamed+1))
	switch {
	case errors.Is(err, echo.ErrStatusRequestEntityTooLarge):
		return "", err
	case err != nil:
		return "", errBrokenOff
	}
	return oneValue(named, before, string(sent))
}

// oneValue is that of a field which a form may repeat, but not with another one.
func oneValue(named, before, sent string) (string, error) {
	switch {
	case len(sent) > maxNamed:
		return "", agent.InvalidField(named, "is too long; at most %d bytes are allowed", maxNamed)
	case before != "" && sent != "" && sent != before:
		return "", agent.InvalidField(named, "is there twice; all files of a form go to one place")
	}
	return cmp.Or(sent, before), nil
}

func isFile(part *multipart.Part) bool { return part.FormName() == "file" && part.FileName() != "" }

// errBrokenOff is for a form that ends before it should.
var errBrokenOff = agent.InvalidField("file", "was not uploaded completely; choose it again")

// nextPart is the next part of a form; io.EOF where there is none.
func nextPart(parts *multipart.Reader) (*multipart.Part, error) {
	part, err := parts.NextPart()
	if err != nil && !errors.Is(err, echo.ErrStatusRequestEntityTooLarge) && !errors.Is(err, io.EOF) {
		err = errBrokenOff
	}
	return part, err
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
		return d, errBrokenOff
	case len(d.Body) > agent.MaxOpenAPIDocument:
		return d, agent.InvalidField("file", "has more than %d MB; leave out what agents do not need", agent.MaxOpenAPIDocument>>20)
	}
	return d, nil
}
