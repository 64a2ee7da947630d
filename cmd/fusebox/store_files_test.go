package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStoreFilesHaveNoCircles: files of package store that use each other's functions, types,
// and constants do so one way, so that each can be read with what is below it alone. Calls of
// methods are not followed; their types are.
func TestStoreFilesHaveNoCircles(t *testing.T) {
	t.Parallel()
	uses := usesOfFiles(t, "../../store")
	var path []string
	done := map[string]bool{}
	var follow func(file string)
	follow = func(file string) {
		if i := slices.Index(path, file); i >= 0 {
			t.Fatalf("files of store go round in a circle: %s", strings.Join(append(path[i:], file), " -> "))
		}
		if done[file] {
			return
		}
		path = append(path, file)
		for _, used := range slices.Sorted(maps.Keys(uses[file])) {
			follow(used)
		}
		path, done[file] = path[:len(path)-1], true
	}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		follow(file)
	}
	if len(done) < 40 {
		t.Fatalf("only %d files were read", len(done))
	}
}

// usesOfFiles is which files of a package use declarations of which others.
func usesOfFiles(t *testing.T, folder string) map[string]map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	declaredIn, named := map[string]string{}, map[string][]*ast.Ident{}
	for _, path := range paths {
		file := filepath.Base(path)
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name := range parsed.Scope.Objects {
			declaredIn[name] = file
		}
		named[file] = parsed.Unresolved
	}
	uses := map[string]map[string]bool{}
	for file, names := range named {
		uses[file] = map[string]bool{}
		for _, name := range names {
			if other := declaredIn[name.Name]; other != "" {
				uses[file][other] = true
			}
		}
	}
	return uses
}
