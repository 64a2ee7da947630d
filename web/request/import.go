package request

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"

	"github.com/labstack/echo/v4"
)

// maxFormValue bounds a field of a form that is no file.
const maxFormValue = 4 << 10

// ImportForm is a form with many files, in fields named file, as it arrives. The paths of
// files in folders are as they were sent; the values are known once all files were handed over.
type ImportForm struct {
	c      echo.Context
	values url.Values
}

// ImportFormOf begins to read a form.
func ImportFormOf(c echo.Context) *ImportForm { return &ImportForm{c, url.Values{}} }

// Value is that of a field that is no file.
func (f *ImportForm) Value(name string) string { return f.values.Get(name) }

// Each hands over the files.
func (f *ImportForm) Each(take func(path string, content io.Reader) error) error {
	if form := f.c.Request().MultipartForm; form != nil { // it was read as a whole
		f.values = form.Value
		return eachKept(form, take)
	}
	parts, err := f.c.Request().MultipartReader()
	if err != nil {
		return errNoFile
	}
	for none := true; ; {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF) && none:
			return errNoFile
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return errBrokenOff
		case part.FormName() != "file":
			value, err := io.ReadAll(io.LimitReader(part, maxFormValue))
			if err != nil {
				return errBrokenOff
			}
			f.values.Add(part.FormName(), string(value))
		case part.FileName() != "":
			none = false
			if err := take(sentPath(part.Header), part); err != nil {
				return err
			}
		}
	}
}

func eachKept(form *multipart.Form, take func(path string, content io.Reader) error) error {
	none := true
	for n, header := range form.File["file"] {
		if header.Filename == "" {
			continue
		}
		none = false
		sent, err := keptUpload(form, n)
		if err == nil {
			err = errors.Join(take(sentPath(header.Header), sent), sent.Close())
		}
		if err != nil {
			return err
		}
	}
	if none {
		return errNoFile
	}
	return nil
}

// sentPath is the name of a file with the folders that it was sent with.
func sentPath(header textproto.MIMEHeader) string {
	_, said, err := mime.ParseMediaType(header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return said["filename"]
}
