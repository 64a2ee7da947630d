package reading

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// noteLink finds links between notes, and code, in which there are none: [[links of vaults]], and links of
// exports to files whose names end with an id.
var noteLink = regexp.MustCompile("``+.+?``+|`[^`]*`" + `|!?\[\[([^\[\]]+)\]\]|!?\[([^\[\]]*)\]\(([^()\s]*[0-9a-f]{32}[^()\s]*)\)`)

// pictureSize is what stands behind the name of an embedded picture.
var pictureSize = regexp.MustCompile(`^\d+(x\d+)?$`)

// withoutLinks has the words of links between notes in place of the links, as people see them.
func withoutLinks(line string) string {
	if !strings.Contains(line, "](") && !strings.Contains(line, "[[") {
		return line
	}
	return noteLink.ReplaceAllStringFunc(line, func(found string) string {
		parts := noteLink.FindStringSubmatch(found)
		switch {
		case parts[1] != "":
			return linkedWords(parts[1])
		case parts[3] == "", strings.Contains(parts[3], "://"):
			return found
		case parts[2] != "":
			return parts[2]
		}
		name, _ := url.PathUnescape(path.Base(parts[3])) // nothing, where it is no address
		return name
	})
}

// linkedWords are what is seen of a link in a vault: its alias, or the note and the heading that it
// leads to.
func linkedWords(inside string) string {
	target, alias, _ := strings.Cut(strings.ReplaceAll(inside, `\|`, "|"), "|")
	if at := strings.LastIndexByte(alias, '|'); at >= 0 {
		alias = alias[at+1:]
	}
	if alias = strings.TrimSpace(alias); alias != "" && !pictureSize.MatchString(alias) {
		return alias
	}
	note, heading, _ := strings.Cut(target, "#")
	note = strings.TrimSuffix(path.Base(strings.TrimSpace(note)), ".md")
	if heading = strings.TrimSpace(strings.ReplaceAll(heading, "#", " › ")); heading == "" || strings.HasPrefix(heading, "^") {
		return note
	}
	if note == "." {
		return heading
	}
	return note + " › " + heading
}
