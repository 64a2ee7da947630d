package sources

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"fusebox/agent"
)

// maxHosts bounds how many hosts of an answer are looked up in what was said before.
const maxHosts = 50

// place finds where an answer may name the host of a link.
var place = regexp.MustCompile(`(?i)(?://|www\.|@)[^\s/?#\\<>"'()\[\]|*]+`)

// SetHosts sets which hosts the text of a new message may link to: those that a person's
// message or a tool's result on the branch has named, and those named in also.
func SetHosts(m *agent.Message, branch []agent.Message, also ...string) {
	var wanted []string
	for _, at := range place.FindAllString(m.Content, -1) {
		if host := ascii(strings.TrimRight(strings.TrimPrefix(at, "//"), ".,:;!?_~`")); host != "" && !slices.Contains(wanted, host) && len(wanted) < maxHosts {
			wanted = append(wanted, host)
		}
	}
	if len(wanted) == 0 {
		return
	}
	wanted = slices.DeleteFunc(wanted, func(host string) bool {
		has := func(text string) bool { return names(text, host) }
		own := func(c agent.CallRequest) bool { return !browses(c) && has(c.Arguments) }
		return !slices.ContainsFunc(also, has) && !told(branch, false, has, own)
	})
	if len(wanted) > 0 {
		m.LinkHosts = wanted
	}
}

// HostOf is the host that a link leads to, in ASCII; "" where that is not plain. A link
// to a mailbox leads to the host of its address.
func HostOf(link string) string {
	u, err := url.Parse(link)
	switch {
	case err != nil || strings.ContainsAny(link, "\\\t\r\n"):
		return ""
	case strings.EqualFold(u.Scheme, "mailto"):
		if strings.Count(u.Opaque, "@") != 1 || strings.ContainsAny(u.Opaque, ",;%") {
			return ""
		}
		return ascii(u.Opaque)
	case !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") || u.User != nil:
		return ""
	default:
		return ascii(u.Host)
	}
}

// ascii is the name of a host as the network knows it, of an authority; "" for what is
// none or hides characters.
func ascii(authority string) string {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	if name, port, ok := strings.Cut(host, ":"); ok && strings.Trim(port, "0123456789") == "" {
		host = name
	}
	hidden := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '.' && r != '-'
	}
	if host == "" || strings.ContainsFunc(host, hidden) {
		return ""
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return ""
	}
	return name
}

// names reports whether a text has the name of a host as a whole, in ASCII or as people write it.
func names(text, host string) bool {
	text = strings.ToLower(text)
	if hasName(text, host) {
		return true
	}
	written, err := idna.Display.ToUnicode(host)
	return err == nil && written != host && hasName(text, written)
}

func hasName(text, host string) bool {
	for {
		i := strings.Index(text, host)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after := text[i+len(host):]
		if !inName(before) && !goesOn(after) {
			return true
		}
		text = after
	}
}

func inName(r rune) bool {
	return r == '.' || r == '-' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// goesOn reports whether a name of a host goes on: a dot that ends a sentence does not count.
func goesOn(text string) bool {
	text, dot := strings.CutPrefix(text, ".")
	r, _ := utf8.DecodeRuneInString(text)
	return r == '-' && !dot || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Told reports whether a person's message or a tool's result on the branch has an address
// word for word. suspect says that other agents, which have read untrusted text, may have left it
// in a file.
func Told(branch []agent.Message, address string, suspect bool) bool {
	return address != "" && told(branch, suspect,
		func(text string) bool { return strings.Contains(text, address) },
		func(c agent.CallRequest) bool { return gives(c.Arguments, address) })
}

// told reports whether a person's message or a tool's result on the branch says something. own
// reports whether the arguments of a call do so: then its result does not count, since many tools
// repeat what they were asked, nor do later results but of the web, since the call may have left it
// in a file. Nor does what other agents have said, since their words are those of a model, nor the
// files that a suspect one may have written.
func told(branch []agent.Message, suspect bool, says func(text string) bool, own func(agent.CallRequest) bool) bool {
	if !slices.ContainsFunc(branch, func(m agent.Message) bool { return tells(m) && says(m.Content) }) {
		return false
	}
	asked, left := map[string]agent.CallRequest{}, false // calls by their ids
	repeats := map[string]bool{}
	for _, m := range branch {
		left = left || slices.ContainsFunc(m.ToolCalls, func(c agent.CallRequest) bool { return !browses(c) && own(c) })
		for _, c := range m.ToolCalls {
			asked[c.ID] = c
			repeats[c.ID] = handsOver(c) || own(c) || left && !browses(c) || suspect && showsFiles(c)
		}
		if tells(m) && !repeats[m.ToolCallID] && says(m.Content) {
			return true
		}
		if m.Role == agent.FromTool && handsOver(asked[m.ToolCallID]) {
			suspect = suspect || handedBack(m.Content).Untrusted
		}
	}
	return false
}

// browses reports whether a call is of the web, which keeps nothing of what it is asked.
func browses(c agent.CallRequest) bool { return c.Name == FetchTool || c.Name == SearchTool }

// showsFiles reports whether the result of a call is of the files of the chat.
func showsFiles(c agent.CallRequest) bool {
	return slices.Contains([]string{"read_file", "grep", "glob", "list_files", "run_shell"}, c.Name)
}

// handsOver reports whether the result of a call is the words of another agent.
func handsOver(c agent.CallRequest) bool {
	return c.Name == agent.DelegateTool || c.Name == agent.ReadResultTool
}

// gives reports whether the arguments of a call have an address, however they are written. In a
// pattern there may be signs in it.
func gives(arguments, address string) bool {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	var plain any
	if json.Unmarshal([]byte(arguments), &plain) == nil {
		arguments = fmt.Sprint(plain)
	}
	return strings.Contains(bare(arguments), bare(address))
}

// tells reports whether a message is the words of a person, or what a tool has found. A plan
// that a person has changed is not: most of it is the model's.
func tells(m agent.Message) bool {
	return m.Role == agent.FromUser && !m.ChangesPlan() || m.Role == agent.FromTool && !isError(m.Content)
}
