package shell

import (
	"path"
	"slices"
	"strings"
)

// Named is what a script says of the files that it uses.
type Named struct {
	// Words may be names of files or folders, or globs of them.
	Words []string
	// Decide says that files decide what the script does, not its text alone.
	Decide bool
	// Projects are names, or globs of names, of files that decide it without being
	// named; Sources are further files that they use.
	Projects, Sources []string
	// Any says that every file may be used: which ones is known at run time only.
	Any bool
}

// project is a kind of program that does what the files of a project say.
type project struct {
	programs []string
	verbs    []string // the first operand; none for any
	files    []string
	sources  []string
}

var javascript = []string{"*.js", "*.cjs", "*.mjs", "*.ts", "*.jsx", "*.tsx"}

var projects = []project{
	{[]string{"npm", "npx", "yarn", "pnpm", "pnpx", "bun", "bunx", "deno", "eslint", "prettier", "jest", "vitest", "webpack", "vite", "tsx", "ts-node"}, nil, []string{"package.json", ".npmrc", ".yarnrc*", "*.config.*", "deno.json*"}, javascript},
	{[]string{"node", "nodejs"}, nil, []string{"package.json"}, javascript},
	{[]string{"make", "gmake", "bmake", "ninja", "cmake", "just", "task", "scons", "bazel", "meson"}, nil, []string{"Makefile", "makefile", "GNUmakefile", "*.mk", "CMakeLists.txt", "*.cmake", "build.ninja", "justfile", "Justfile", "Taskfile*", "SConstruct", "BUILD*", "WORKSPACE*", "meson.build"}, []string{"*.sh", "*.py"}},
	{[]string{"go", "gotestsum"}, []string{"test", "run", "generate", "tool"}, []string{"go.mod", "go.work"}, []string{"*.go"}},
	{[]string{"golangci-lint"}, nil, []string{".golangci.*"}, nil},
	{[]string{"cargo"}, nil, []string{"Cargo.toml", "build.rs", "config.toml"}, []string{"*.rs"}},
	{[]string{"gradle", "gradlew", "mvn", "mvnw", "ant", "sbt"}, nil, []string{"*.gradle", "*.gradle.kts", "gradle.properties", "pom.xml", "build.xml", "build.sbt"}, []string{"*.java", "*.kt", "*.groovy", "*.scala"}},
	{[]string{"dotnet", "msbuild"}, nil, []string{"*.csproj", "*.sln", "*.props", "*.targets"}, []string{"*.cs"}},
	{[]string{"rake", "bundle", "ruby", "rspec", "rails"}, nil, []string{"Rakefile", "Gemfile", "*.rake"}, []string{"*.rb"}},
	{[]string{"python", "python2", "python3", "pypy", "pypy3", "pytest", "py.test", "tox", "nox", "mypy", "poetry", "uv", "pip", "pip3"}, nil, []string{"setup.py", "setup.cfg", "pyproject.toml", "tox.ini", "pytest.ini", "conftest.py", "noxfile.py", "mypy.ini"}, []string{"*.py"}},
	{[]string{"perl", "prove"}, nil, nil, []string{"*.pl", "*.pm", "*.t"}},
	{[]string{"php", "composer", "phpunit"}, nil, []string{"composer.json", "phpunit.xml*"}, []string{"*.php"}},
	{[]string{"lua", "tclsh", "Rscript"}, nil, nil, []string{"*.lua", "*.tcl", "*.R"}},
	{[]string{"docker", "podman", "nerdctl"}, []string{"build", "buildx", "compose", "bake"}, []string{"Dockerfile*", "Containerfile*", "compose*.y*ml", "docker-compose*.y*ml", "docker-bake*", ".dockerignore"}, nil},
	{[]string{"docker-compose", "podman-compose"}, nil, []string{"compose*.y*ml", "docker-compose*.y*ml", "Dockerfile*"}, nil},
	{[]string{"terraform", "tofu", "pulumi", "ansible", "ansible-playbook", "helm", "kustomize", "skaffold", "vagrant", "packer"}, nil, []string{"*.tf", "*.tfvars", "*.hcl", "Pulumi*", "*.y*ml", "Vagrantfile"}, nil},
	{[]string{"pre-commit", "husky", "lefthook"}, nil, []string{".pre-commit-config.yaml", "lefthook.yml"}, nil},
}

// inert programs only look at files, or at nothing: a script of them alone does no more than
// its text says, whatever the files contain.
var inert = []string{
	"", "ls", "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "rg", "sort", "uniq", "cut", "tr", "echo", "printf", "pwd", "date", "stat", "du",
	"df", "file", "diff", "cmp", "md5sum", "sha256sum", "sha1sum", "true", "false", "test", "[", "which", "basename", "dirname", "realpath", "readlink",
	"sleep", "cd", "mkdir", "touch", "tree", "uname", "whoami", "id", "seq", "nl", "tac", "rev", "column", "jq", "yq",
}

// Files says which files a script uses.
func (s Script) Files() Named {
	n := Named{Any: s.Unread, Decide: s.Unread}
	for _, c := range s.Commands {
		n.add(c)
	}
	slices.Sort(n.Words)
	n.Words = slices.Compact(n.Words)
	return n
}

func (n *Named) add(c Command) {
	n.Words = append(n.Words, c.files()...)
	if c.Is(inert...) && !c.Hidden {
		return
	}
	words := append([]string{c.Word}, c.Args...)
	open := slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "$") })
	if p, ok := projectOf(c); ok {
		n.Decide = true
		n.Projects, n.Sources = append(n.Projects, p.files...), append(n.Sources, p.sources...)
	}
	if c.runsFile() {
		n.Decide = true
		n.Sources = append(n.Sources, "*.sh")
		n.Any = n.Any || open
	}
	if c.Hidden {
		n.Decide, n.Any = true, true
	}
}

// files are the words of a command that may name files it uses.
func (c Command) files() []string {
	var all []string
	if strings.Contains(c.Word, "/") {
		all = append(all, c.Word)
	}
	for _, a := range slices.Concat(c.Args, c.Assigns, c.Reads) {
		all = append(all, a)
		for part := range strings.FieldsFuncSeq(a, func(r rune) bool { return strings.ContainsRune("=:,@ \t\n", r) }) {
			all = append(all, part)
		}
		if len(a) > 2 && a[0] == '-' && a[1] != '-' {
			all = append(all, a[2:]) // -fFILE
		}
	}
	return all
}

// runsFile reports whether a command runs a file: as a program of the workspace, or as
// the script of a shell.
func (c Command) runsFile() bool {
	switch {
	case c.Is(".", "source", "eval", "xargs", "parallel"):
		return true
	case c.IsShell() && len(c.shellTexts()) == 0:
		return true
	default:
		return strings.Contains(c.Word, "/") && !system(c.Word)
	}
}

// system reports whether a program is one of the machine, and not of a workspace.
func system(word string) bool {
	return slices.ContainsFunc([]string{"/bin/", "/sbin/", "/usr/", "/opt/"}, func(p string) bool {
		return strings.HasPrefix(path.Clean(word), p)
	})
}

func projectOf(c Command) (project, bool) {
	name := strings.TrimRight(c.Name, "0123456789.")
	for _, p := range projects {
		if !slices.Contains(p.programs, c.Name) && !slices.Contains(p.programs, name) {
			continue
		}
		if operands := c.Operands(); len(p.verbs) == 0 || len(operands) > 0 && slices.ContainsFunc(operands, func(o string) bool { return slices.Contains(p.verbs, o) }) {
			return p, true
		}
	}
	return project{}, false
}
