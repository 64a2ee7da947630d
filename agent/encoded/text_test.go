package encoded

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// written is a text as bytes of an encoding.
func written(t *testing.T, name, text string) string {
	t.Helper()
	codec, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := codec.NewEncoder().String(text)
	if err != nil {
		t.Fatalf("%s: %q: %v", name, text, err)
	}
	return raw
}

// A file is read as what people say it is written in, and what that has not is replaced.
func TestReadAsNamed(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		if got, ok := ReadAs(name, "a\xff\xff", false); !ok || name != "UTF-8" && got.Encoding() != name {
			t.Errorf("%s: %v %+v", name, ok, got)
		}
	}
	for _, row := range []struct {
		name, raw, want string
		more            bool
	}{
		{"GB18030", "\xc1\xaa\xcd\xa8", "联通", false},
		{"GB18030", "\xc1\xaa\xcd", "联\ufffd", false},
		{"GB18030", "\xc1\xaa\xcd", "联", true},
		{"UTF-16LE", "\xff\xfe\x54\x80", "联", false},
		{"UTF-16BE", "\x80\x54", "联", false},
		{"UTF-8", "\xef\xbb\xbf联", "联", false},
	} {
		if got, ok := ReadAs(row.name, row.raw, row.more); !ok || got.Content != row.want {
			t.Errorf("%s %q: %v %q", row.name, row.raw, ok, got.Content)
		}
	}
	if _, ok := ReadAs("EBCDIC", "a", false); ok {
		t.Error("an unknown encoding is read")
	}
}

// A file is read as what it is written in, and written so again.
func TestReadKnowsTheEncoding(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ charset, mark, want, text string }{
		{"gb18030", "", "GB18030", "你好，世界。\n"},
		{"gb18030", "", "GB18030", "姓名,城市\r\n李雷,北京\r\n"},
		{"gb18030", "", "GB18030", "int main() { return 0; } // 返回\n"},
		{"gb18030", "", "GB18030", "# 中\nx=1\n"},
		{"gb18030", "", "GB18030", "國家圖書館的目錄與檢索系統\n"},
		{"gb18030", "", "GB18030", "人工智能是研究、开发用于模拟、延伸和扩展人的智能的理论、方法、技术。\n"},
		{"gb18030", "", "GB18030", "价格：100元，含emoji😀和𠮷\n"},
		{"gb18030", "", "GB18030", "┌──┐\n│表│\n└──┘\n"},
		{"gb18030", "", "GB18030", strings.Repeat("北京,", 30) + "\n"},
		{"big5", "", "Big5", "你好，世界。\n"},
		{"big5", "", "Big5", "姓名,城市\n王小明,臺北\n"},
		{"shift_jis", "", "Shift_JIS", "こんにちは、世界。\n"},
		{"shift_jis", "", "Shift_JIS", "名前,都市\n田中,東京\n"},
		{"euc-jp", "", "EUC-JP", "こんにちは、世界。\n"},
		{"euc-kr", "", "EUC-KR", "인공지능은 인간의 학습능력, 추론능력을 구현하려는 컴퓨터 과학이다.\n"},
		{"windows-1252", "", "Latin-1 (windows-1252)", "café\n"},
		{"windows-1252", "", "Latin-1 (windows-1252)", "Müller, Straße, Köln, Größe\n"},
		{"windows-1252", "", "Latin-1 (windows-1252)", "déjà vu, garçon, naïve — “ok” €5, don’t\n"},
		{"windows-1252", "", "Latin-1 (windows-1252)", "25 °C, 50 µm, £5, Ärger über Öl\n"},
		{"windows-1252", "", "Latin-1 (windows-1252)", "São João, El niño comió piñas, ÄÖÜ äöü ß\n"},
		{"utf-16le", "\xff\xfe", "UTF-16LE", "name,city\nLi,上海\n"},
		{"utf-16be", "\xfe\xff", "UTF-16BE", "name,city\r\nLi,上海😀\r\n"},
		{"utf-16le", "\xff\xfe", "UTF-16LE", "你好世界"},
		{"utf-16le", "", "UTF-16LE", "name,city\nLi,上海\n"},
		{"utf-16be", "", "UTF-16BE", "plain text\r\n"},
		{"utf-8", "\xef\xbb\xbf", "", "name,城市\n"},
		{"utf-8", "\xef\xbb\xbf", "", ""},
		{"utf-8", "", "", "你好 café \x00 \x1b[0m\n"},
		{"utf-8", "", "", ""},
	} {
		raw := row.mark + written(t, row.charset, row.text)
		got, ok := Read(raw, false)
		if !ok || got.Content != row.text || got.Encoding() != row.want {
			t.Errorf("%s %q is read as %v %q in %s", row.charset, row.text, ok, got.Content, got.Encoding())
			continue
		}
		if again, err := got.Write(got.Content); err != nil || again != raw {
			t.Errorf("%s %q is written as %q %v", row.charset, row.text, again, err)
		}
		long := row.mark + strings.Repeat(raw[len(row.mark):], 5)
		for cut := range min(4, len(row.text)) {
			if got, ok := Read(long[:len(long)-cut], true); !ok || got.Encoding() != row.want || !strings.HasPrefix(strings.Repeat(row.text, 5), got.Content) {
				t.Errorf("%s %q without its last %d bytes is read as %v %q in %s", row.charset, row.text, cut, ok, got.Content, got.Encoding())
			}
		}
	}
}

// What is no text stays none.
func TestReadRefusesBytesOfNoText(t *testing.T) {
	t.Parallel()
	noise := ""
	for sum := sha256.Sum256(nil); len(noise) < 4096; sum = sha256.Sum256(sum[:]) {
		noise += string(sum[:])
	}
	for name, raw := range map[string]string{
		"bytes":             "\x00\xff\xfe",
		"a byte":            "\xff",
		"zeros":             "\x00\x00\x00\x00\xff",
		"a picture":         unhex(t, "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"),
		"a photo":           unhex(t, "ffd8ffe000104a46494600010101004800480000ffdb0043"),
		"an archive":        unhex(t, "504b030414000000080000002100b7ef"),
		"compressed":        unhex(t, "1f8b0800000000000003cbc8e402007a7a6fed"),
		"a program":         unhex(t, "7f454c4602010100000000000000000003003e0001000000f0"),
		"noise":             noise,
		"noise with a mark": "\xff\xfe" + noise,
		"half a character":  "\xff\xfea\x00b",
		"half a pair":       "\xff\xfea\x00\x3d\xd8",
		"UTF-8, cut":        "你好，世界，这里是一个文件\n"[:31] + "\n",
		"UTF-8 with a byte": "naïve café\xff, déjà vu, garçon, élève",
		"undefined bytes":   "a\x81b\x8dc",
		"another alphabet":  written(t, "windows-1251", "Искусственный интеллект — свойство систем\n"),
	} {
		if got, ok := Read(raw, false); ok {
			t.Errorf("%s is read as %q in %s", name, got.Content, got.Encoding())
		}
	}
	if got, _ := Read("foo\x00bar\x00", false); got.Encoding() != "" {
		t.Errorf("words with zeros behind them are read as %s", got.Encoding())
	}
}

func unhex(t *testing.T, s string) string {
	t.Helper()
	raw, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A character that an encoding has not is named.
func TestWriteNamesWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ charset, text, adds, says string }{
		{"windows-1252", "café\n", "日", `Latin-1 (windows-1252), which has no '日' (U+65E5)`},
		{"big5", "你好，世界。\n", "😀", `Big5, which has no '😀' (U+1F600)`},
		{"gb18030", "你好，世界。\n", "😀 한 é", ""},
		{"utf-16le", "name\n", "😀", ""},
	} {
		text, ok := Read(written(t, row.charset, row.text), false)
		raw, err := text.Write(row.text + row.adds)
		switch {
		case !ok:
			t.Errorf("%s is not read", row.charset)
		case row.says == "" && (err != nil || raw != written(t, row.charset, row.text+row.adds)):
			t.Errorf("%s: %q %v", row.charset, raw, err)
		case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s: %v, want %s", row.charset, err, row.says)
		}
	}
}
