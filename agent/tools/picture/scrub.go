package picture

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
)

// shortest is from how many characters on base64 is taken out of a text.
const shortest = 64

// starts are the first characters of files in base64 that nobody reads: PNG, JPEG, GIF,
// WebP, PDF, and ZIP. encoded ones are whole, or in lines of a mail's length, and may stand
// in JSON.
var (
	starts  = []string{"iVBORw0KGgo", "/9j/", `\/9j\/`, "R0lGOD", "UklGR", "JVBERi0", "UEsDB"}
	encoded = func() *regexp.Regexp {
		const char, lineBreak = `(?:[A-Za-z0-9+/_-]|\\/)`, `(?:\\r\\n|\\n|\r\n|\n)`
		const body = `(?:` + char + `{40,80}(?:` + lineBreak + char + `{57,80})+(?:` + lineBreak + char + `+)?|` + char + `+)={0,2}`
		var quoted []string
		for _, start := range starts {
			quoted = append(quoted, regexp.QuoteMeta(start))
		}
		return regexp.MustCompile(`data:([\w.+-]+\\?/[\w.+-]+)(?:;[\w.+-]+=[\w.+"-]+)*;base64,(` + body + `)` +
			`|(?:^|[^A-Za-z0-9+/_-])((?:` + strings.Join(quoted, "|") + `)` + body + `)`)
	}()
	unbroken = strings.NewReplacer(`\/`, "/", `\r`, "", `\n`, "", "\r", "", "\n", "", "-", "+", "_", "/", "=", "")
)

// Scrub takes out of a text what is written in base64, with a line in its place. Pictures
// among it are taken in.
func (r *Roll) Scrub(text string) string {
	if !mayHold(text) {
		return text
	}
	var out strings.Builder
	at := 0
	for _, m := range encoded.FindAllStringSubmatchIndex(text, -1) {
		from, to, kind := m[6], m[7], ""
		if m[2] >= 0 {
			from, to, kind = m[0], m[1], strings.ReplaceAll(text[m[2]:m[3]], `\`, "")
		}
		if to-from < shortest {
			continue
		}
		line := r.line(kind, text[max(from, m[4]):to])
		if line == "" {
			continue
		}
		out.WriteString(text[at:from])
		out.WriteString(line)
		at = to
	}
	out.WriteString(text[at:])
	return out.String()
}

// mayHold is a quick look.
func mayHold(text string) bool {
	if len(text) < shortest {
		return false
	}
	for _, start := range append(starts, ";base64,") {
		if strings.Contains(text, start) {
			return true
		}
	}
	return false
}

// line stands for what is encoded; "" leaves it as it is.
func (r *Roll) line(kind, body string) string {
	data, err := base64.RawStdEncoding.DecodeString(unbroken.Replace(body))
	if err != nil || strings.HasPrefix(kind, "text/") {
		return ""
	}
	if line := r.Add(data); line != "" {
		return line
	}
	if kind == "" {
		if kind = http.DetectContentType(data); kind == "application/octet-stream" || strings.HasPrefix(kind, "text/") {
			return ""
		}
	}
	return "[" + kind + ", " + Size(int64(len(data))) + ", left out]"
}
