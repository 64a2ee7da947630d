package room

import (
	"strconv"
)

// field is a named value that is passed between processes: a pointer to a string, a
// bool, a number, or a list. Package encoding/json would be initialised too late.
type field struct {
	name  string
	value any
}

// encode writes fields that are not empty, one value a line.
func encode(fields []field) string {
	var b []byte
	for _, f := range fields {
		for _, text := range texts(f.value) {
			b = append(strconv.AppendQuote(append(b, f.name+"="...), text), '\n')
		}
	}
	return string(b)
}

func texts(value any) (all []string) {
	switch v := value.(type) {
	case *string:
		if *v != "" {
			all = []string{*v}
		}
	case *bool:
		if *v {
			all = []string{"true"}
		}
	case *int64:
		if *v != 0 {
			all = []string{strconv.FormatInt(*v, 10)}
		}
	case *[]string:
		all = *v
	case *[]int64:
		for _, n := range *v {
			all = append(all, strconv.FormatInt(n, 10))
		}
	}
	return all
}

// decode reads what encode has written.
func decode(text string, fields []field) error {
	for _, line := range linesOf(text) {
		name, quoted := cut(line, '=')
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return &failure{"read " + name, err}
		}
		if err := set(name, text, fields); err != nil {
			return &failure{"read " + name, err}
		}
	}
	return nil
}

func set(name, text string, fields []field) (err error) {
	for _, f := range fields {
		if f.name != name {
			continue
		}
		var n int64
		switch v := f.value.(type) {
		case *string:
			*v = text
		case *bool:
			*v = true
		case *[]string:
			*v = append(*v, text)
		case *int64:
			*v, err = strconv.ParseInt(text, 10, 64)
		case *[]int64:
			n, err = strconv.ParseInt(text, 10, 64)
			*v = append(*v, n)
		}
	}
	return err
}

// failure says what could not be done. Package fmt would be initialised too late.
type failure struct {
	what string
	err  error
}

func (f *failure) Error() string { return f.what + ": " + f.err.Error() }

func (f *failure) Unwrap() error { return f.err }
