package request

import (
	"errors"
	"slices"

	"fusebox/agent"
	"fusebox/views/text"
)

// Said is the message of an error in the language of a printer.
func Said(tr *text.Printer, err error) string {
	return tr.Recorded(agent.MessageOf(err))
}

// FieldErrors are the details of an error by field, in the language of a printer.
func FieldErrors(tr *text.Printer, err error) map[string]string {
	return agent.FieldErrors(Translated(tr, err))
}

// Translated is an error whose texts for people are in the language of a printer.
func Translated(tr *text.Printer, err error) error {
	var e *agent.Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Message, out.Fields = tr.Recorded(e.Message), translatedFields(tr, e.Fields)
	return &out
}

func translatedFields(tr *text.Printer, fields []agent.FieldError) []agent.FieldError {
	out := slices.Clone(fields)
	for i := range out {
		out[i].Detail = tr.Recorded(out[i].Detail)
	}
	return out
}
