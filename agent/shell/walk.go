package shell

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// file adds the commands of a syntax tree, but those that another variant has added
// already, from the index known on.
func (r *reader) file(file *syntax.File, known, depth int) {
	flows := map[*syntax.CallExpr][]*syntax.CallExpr{}
	built := map[*syntax.CallExpr]Command{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				connect(flows, n)
			}
		case *syntax.FuncDecl:
			r.declare(n)
		case *syntax.DeclClause:
			r.add(r.declaration(n), depth)
		case *syntax.Stmt:
			r.stmt(n, flows, built, known, depth)
		}
		return len(r.script.Commands) <= maxCommands
	})
	if len(r.script.Commands) > maxCommands {
		r.script.Unread = true
	}
}

func connect(flows map[*syntax.CallExpr][]*syntax.CallExpr, pipe *syntax.BinaryCmd) {
	if len(flows) > maxCommands {
		return
	}
	from := callsIn(pipe.X)
	for _, to := range callsIn(pipe.Y) {
		flows[to] = append(flows[to], from...)
	}
}

func callsIn(n syntax.Node) []*syntax.CallExpr {
	var calls []*syntax.CallExpr
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			calls = append(calls, c)
		}
		return len(calls) < maxCommands
	})
	return calls
}

// declare notes which programs a function's body runs.
func (r *reader) declare(f *syntax.FuncDecl) {
	if f.Name == nil {
		return
	}
	var programs []string
	for _, c := range callsIn(f.Body) {
		if len(c.Args) > 0 {
			programs = append(programs, r.word(c.Args[0]).text)
		}
	}
	r.script.Bodies[f.Name.Value] = programs
}

// declaration is export, local and the like, as the command that it is.
func (r *reader) declaration(d *syntax.DeclClause) Command {
	c := Command{Word: d.Variant.Value, Name: d.Variant.Value}
	for _, a := range d.Args {
		if a.Name != nil {
			c.Assigns = append(c.Assigns, a.Name.Value+"="+r.word(a.Value).text)
		}
	}
	return c
}

// stmt adds the command of a statement, if it is a simple one.
func (r *reader) stmt(s *syntax.Stmt, flows map[*syntax.CallExpr][]*syntax.CallExpr, built map[*syntax.CallExpr]Command, known, depth int) {
	call, simple := s.Cmd.(*syntax.CallExpr)
	if !simple && len(s.Redirs) == 0 {
		return
	}
	var c Command
	if simple {
		c = r.call(call)
		for _, from := range flows[call] {
			up := built[from]
			up.Upstream = nil // they flow into c themselves
			c.Upstream = append(c.Upstream, up)
		}
	}
	c.Background = s.Background
	for _, redirect := range s.Redirs {
		r.redirect(&c, redirect)
	}
	if simple {
		built[call] = c
		r.addSplit(call, s.Redirs, depth)
	}
	if !slices.ContainsFunc(r.script.Commands[known:], func(o Command) bool { return reflect.DeepEqual(o, c) }) {
		r.add(c, depth)
	}
}

func (r *reader) call(call *syntax.CallExpr) Command {
	var c Command
	for _, a := range call.Assigns {
		if a.Name == nil || a.Value == nil {
			continue
		}
		c.Assigns = append(c.Assigns, a.Name.Value+"="+r.word(a.Value).text)
	}
	for i, w := range call.Args {
		read := r.word(w)
		if i > 0 {
			c.Args = append(c.Args, read.fields()...)
			continue
		}
		c.Hidden = read.hides()
		words := read.fields()
		if len(words) > 0 {
			c.Word, c.Name, c.Args = words[0], path.Base(words[0]), words[1:]
		}
	}
	return c
}

// redirect adds what a redirection reads or writes.
func (r *reader) redirect(c *Command, redirect *syntax.Redirect) {
	switch redirect.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if redirect.Hdoc != nil {
			c.Input += r.word(redirect.Hdoc).text
		}
	case syntax.WordHdoc:
		c.Input += r.word(redirect.Word).text
	case syntax.RdrIn:
		c.Reads = append(c.Reads, r.word(redirect.Word).text)
	case syntax.RdrInOut:
		c.Reads = append(c.Reads, r.word(redirect.Word).text)
		c.Writes = append(c.Writes, r.word(redirect.Word).text)
	case syntax.DplIn, syntax.DplOut:
		if target := r.word(redirect.Word).text; strings.Trim(target, "0123456789-") != "" {
			c.Writes = append(c.Writes, target)
		}
	default:
		c.Writes = append(c.Writes, r.word(redirect.Word).text)
	}
}

// addSplit adds the command that dash sees in a line such as "a &>b rm": to bash it
// is one command with a redirection, to dash it is two.
func (r *reader) addSplit(call *syntax.CallExpr, redirects []*syntax.Redirect, depth int) {
	for _, redirect := range redirects {
		if redirect.Op != syntax.RdrAll && redirect.Op != syntax.AppAll {
			continue
		}
		rest := slices.IndexFunc(call.Args, func(w *syntax.Word) bool { return w.Pos().After(redirect.Pos()) })
		if rest >= 0 {
			r.add(r.call(&syntax.CallExpr{Args: call.Args[rest:]}), depth)
		}
	}
}
