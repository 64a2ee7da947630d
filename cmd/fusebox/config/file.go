package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// fileValues are the settings of the configuration file, by their dotted path.
type fileValues struct {
	path   string
	text   string
	values map[string]any
	used   map[string]bool
}

// readFile reads the configuration file. The one in the data folder may be
// missing, one that was named may not.
func readFile(data, path string) (fileValues, error) {
	named := path != ""
	if !named {
		path = filepath.Join(data, "fusebox.toml")
	}
	f := fileValues{path: path, values: map[string]any{}, used: map[string]bool{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return f, nil
	}
	if err != nil {
		return f, Errorf("config file %s cannot be read: %v", path, errors.Unwrap(err))
	}
	f.text = string(raw)
	var tree map[string]any
	if err := toml.Unmarshal(raw, &tree); err != nil {
		if at, ok := errors.AsType[toml.ParseError](err); ok {
			return f, Errorf("config file %s, line %d: %s", path, at.Position.Line, at.Message)
		}
		return f, Errorf("config file %s: %v", path, err)
	}
	flatten("", tree, f.values)
	return f, nil
}

func flatten(prefix string, tree map[string]any, into map[string]any) {
	for k, v := range tree {
		path := strings.TrimPrefix(prefix+"."+k, ".")
		if sub, ok := v.(map[string]any); ok && path != "prices" {
			flatten(path, sub, into)
			continue
		}
		into[path] = v
	}
}

// unknown names the first key of the file that nothing has asked for.
func (f fileValues) unknown() error {
	var left []string
	for k := range f.values {
		if !f.used[k] {
			left = append(left, k)
		}
	}
	if len(left) == 0 {
		return nil
	}
	slices.Sort(left)
	value := dump(f.values[left[0]])
	if strings.HasPrefix(left[0], "notify.") || strings.HasPrefix(left[0], "telemetry.") { // it may be a secret
		value = "…"
	}
	allowed := []string{"prices.MODEL", "agents.NAME", "workflows.NAME", "providers", rulesKey, serversKey, commandsKey}
	for _, k := range keys {
		allowed = append(allowed, k.path)
	}
	slices.Sort(allowed)
	return Errorf("config file %s: unknown key %s = %s; allowed keys: %s", f.path, left[0], value, strings.Join(allowed, ", "))
}

// dump writes a value of the file for an error message.
func dump(v any) string { return fmt.Sprintf("%v", v) }
