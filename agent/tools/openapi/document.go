package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	yaml "github.com/oasdiff/yaml3"

	"fusebox/agent"
)

// Bounds of a document.
const (
	maxNodes      = 400_000
	maxDepth      = 100
	maxOperations = 500
	// maxProblem bounds the explanation of why one cannot be used.
	maxProblem = 600
)

// read reads a document, and says where it is wrong. Its errors are Invalid, of the field file.
func read(ctx context.Context, text []byte) (*openapi3.T, error) {
	doc, err := parse(ctx, text)
	if err != nil {
		return nil, agent.InvalidField("file", "%s", agent.Clip(strings.ReplaceAll(err.Error(), "\n", " "), maxProblem))
	}
	return doc, nil
}

func parse(ctx context.Context, text []byte) (doc *openapi3.T, err error) {
	defer func() { // a parser that trips over a document must not take the server along
		if p := recover(); p != nil {
			doc, err = nil, fmt.Errorf("cannot be read: %v", p)
		}
	}()
	if err := checkSize(text); err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader() // it follows no $ref to another place
	loader.Context = ctx
	if doc, err = loader.LoadFromData(text); err != nil {
		return nil, inWords(err)
	}
	if err := checkVersion(doc.OpenAPI); err != nil {
		return nil, err
	}
	if err := doc.Validate(ctx, openapi3.DisableExamplesValidation(), openapi3.DisableSchemaDefaultsValidation(), openapi3.DisableSchemaPatternValidation()); err != nil {
		return nil, inWords(err)
	}
	n := 0
	for _, item := range doc.Paths.Map() {
		n += len(item.Operations())
	}
	if n > maxOperations {
		return nil, fmt.Errorf("has %d operations; at most %d are allowed: leave out what agents do not need", n, maxOperations)
	}
	return doc, nil
}

// checkVersion refuses what is not OpenAPI 3.0 or 3.1.
func checkVersion(version string) error {
	switch {
	case version == "":
		return errors.New("has no field openapi; allowed: OpenAPI 3.0 or 3.1 (convert a Swagger 2.0 document first)")
	case !strings.HasPrefix(version, "3.0.") && !strings.HasPrefix(version, "3.1."):
		return fmt.Errorf("has openapi = %q; allowed: 3.0 or 3.1", agent.Clip(version, 40))
	}
	return nil
}

// inWords says what to do about what the parser has found.
func inWords(err error) error {
	if text := err.Error(); strings.Contains(text, "external reference") {
		return fmt.Errorf("refers to another document: %s; put what it refers to into this one, each $ref begins with #/", text)
	}
	return fmt.Errorf("is not a valid OpenAPI document: %w; correct that place and try again", err)
}

// checkSize bounds what the parser gets to see.
func checkSize(text []byte) error {
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	switch {
	case len(trimmed) == 0:
		return errors.New("is empty; choose an OpenAPI document in JSON or YAML")
	case len(text) > agent.MaxOpenAPIDocument:
		return fmt.Errorf("has more than %d MB; leave out what agents do not need", agent.MaxOpenAPIDocument>>20)
	case trimmed[0] == '{':
		return checkJSON(trimmed)
	default:
		var doc yaml.Node
		if err := yaml.Unmarshal(trimmed, &doc); err != nil {
			return fmt.Errorf("is neither JSON nor YAML: %w", err)
		}
		n := 0
		return checkNode(&doc, 0, &n)
	}
}

var (
	errNodes = fmt.Errorf("has more than %d values; leave out what agents do not need", maxNodes)
	errDepth = fmt.Errorf("is nested more than %d levels deep; flatten it with $ref", maxDepth)
)

func checkJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for depth, n := 0, 0; ; n++ {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("is not JSON: line %d: %w", 1+bytes.Count(text[:min(int(d.InputOffset()), len(text))], []byte("\n")), err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		switch {
		case depth > maxDepth:
			return errDepth
		case n > maxNodes:
			return errNodes
		}
	}
}

// checkNode refuses aliases too: a few lines of them stand for any number of values.
func checkNode(node *yaml.Node, depth int, n *int) error {
	*n++
	switch {
	case node.Kind == yaml.AliasNode:
		return fmt.Errorf("has the alias *%s in line %d; write out what it stands for, or use $ref", agent.Clip(node.Value, 40), node.Line)
	case depth > maxDepth:
		return errDepth
	case *n > maxNodes:
		return errNodes
	}
	for _, child := range node.Content {
		if err := checkNode(child, depth+1, n); err != nil {
			return err
		}
	}
	return nil
}
