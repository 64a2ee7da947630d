package retrieval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// MaxQuestions is how many questions are read, maxLine how many bytes one has with its answer.
const (
	MaxQuestions = 10_000
	maxLine      = 64 << 10
)

// Question is one with what answers it.
type Question struct {
	Text string
	// Documents are those of which each answers it; none where nothing does.
	Documents []string
	// Answer is what the passage says, "" where any passage of the documents will do.
	Answer string
	// Kind is what makes it hard, in a word.
	Kind string
}

// Nothing is the kind of questions that nothing answers.
const Nothing = "nothing"

// Language is that of the question: zh where it has Chinese characters, else en.
func (q Question) Language() string {
	if strings.ContainsFunc(q.Text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return "zh"
	}
	return "en"
}

// Right reports whether a passage of a document answers.
func (q Question) Right(h Hit) bool {
	return slices.Contains(q.Documents, h.Document) && strings.Contains(h.Text, q.Answer)
}

// documentNames are a name, "" for none, or a list of them.
type documentNames []string

func (n *documentNames) UnmarshalJSON(raw []byte) error {
	*n = documentNames{}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		if one != "" {
			*n = append(*n, one)
		}
		return nil
	}
	if err := json.Unmarshal(raw, (*[]string)(n)); err != nil || *n == nil {
		return errors.New(`field "document": it is neither a name nor a list of names`)
	}
	return nil
}

// ReadQuestions reads questions, a line of JSON each. An error says which line and which field
// is wrong.
func ReadQuestions(r io.Reader) (all []Question, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		q, err := readQuestion(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if all = append(all, q); len(all) > MaxQuestions {
			return nil, fmt.Errorf("line %d: there are more than %d questions", n, MaxQuestions)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: it is longer than %d bytes", n+1, maxLine)
	}
	if lines.Err() == nil && len(all) == 0 {
		return nil, errors.New("there is no question")
	}
	return all, lines.Err()
}

func readQuestion(line []byte) (q Question, err error) {
	var given struct {
		Question string        `json:"question"`
		Document documentNames `json:"document"`
		Answer   string        `json:"answer"`
		Kind     string        `json:"kind"`
	}
	in := json.NewDecoder(bytes.NewReader(line))
	in.DisallowUnknownFields()
	var typed *json.UnmarshalTypeError
	switch err := in.Decode(&given); {
	case errors.As(err, &typed) && typed.Field != "":
		return q, fmt.Errorf("field %q: it is a %s, not a text", typed.Field, typed.Value)
	case err != nil:
		return q, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case in.More():
		return q, errors.New("there is more than one object in it")
	case !strings.ContainsFunc(given.Question, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return q, errors.New(`field "question": it has no word`)
	case given.Document == nil:
		return q, errors.New(`field "document": it is missing; "" says that nothing answers`)
	case len(given.Document) == 0 && given.Answer != "":
		return q, errors.New(`field "answer": no document is named that has it`)
	}
	if given.Kind == "" && len(given.Document) == 0 {
		given.Kind = Nothing
	}
	return Question{given.Question, given.Document, given.Answer, given.Kind}, nil
}
