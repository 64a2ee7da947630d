package service

import (
	"encoding/json"
	"errors"
	"strings"

	"fusebox/agent"
	"fusebox/agent/schema"
)

// serverAnswer is what a server reads of an answer to its question: an object that fits its
// schema. Where that asks for one text, the text is enough.
func serverAnswer(ev agent.QuestionEvidence, text string) (string, error) {
	name, wants := soleField(ev.Schema)
	if wants == "nothing" {
		return "{}", nil
	}
	if !strings.HasPrefix(text, "{") {
		if wants != "string" {
			return "", agent.InvalidField("answer", "has to be a JSON object with the fields that %s asks for", ev.Server)
		}
		text = string(agent.MustJSON(map[string]string{name: text}))
	}
	s, err := schema.Compile("question", ev.Schema)
	if err != nil {
		return "", err
	}
	fits, err := s.Check(text)
	var e *agent.Error
	if errors.As(err, &e) {
		return "", unfit(ev.Server, e.Fields)
	}
	return string(fits), err
}

// unfit describes which fields of an answer are wrong.
func unfit(server string, fields []agent.FieldError) error {
	e := agent.Errorf(agent.Invalid, "The answer does not fit what %s asks for.", server)
	for _, f := range fields {
		e.Fields = append(e.Fields, agent.FieldError{Field: "args." + f.Field, Detail: f.Detail})
	}
	return e
}

// soleField is the one field that a schema has, and its type; "nothing" where it has none.
func soleField(raw json.RawMessage) (name, wants string) {
	var form struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if len(raw) > 0 && json.Unmarshal(raw, &form) != nil {
		return "", ""
	}
	if len(form.Properties) == 0 {
		return "", "nothing"
	}
	for name, field := range form.Properties {
		if len(form.Properties) == 1 {
			return name, field.Type
		}
	}
	return "", ""
}
