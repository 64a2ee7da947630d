package mcptest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPictures adds a tool that shows what it is asked for.
func addPictures(s *mcp.Server) {
	s.AddTool(&mcp.Tool{
		Name: "photo", Description: "Shows pictures.", InputSchema: json.RawMessage(`{"type":"object","properties":{"of":{"type":"string"},"n":{"type":"integer"}}}`),
	}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct {
			Of string
			N  int
		}
		if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: photo(in.Of, in.N)}, nil
	})
}

// Picture is a picture of a type such as png; n tells one from another.
func Picture(kind string, n int) []byte {
	img := image.NewPaletted(image.Rect(0, 0, 64, 48), color.Palette{color.White, color.RGBA{R: byte(n), G: 80, B: 160, A: 255}})
	for i := range img.Pix {
		img.Pix[i] = byte((i * (i + 7) / 5) % 2)
	}
	var b bytes.Buffer
	var err error
	switch kind {
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	case "webp":
		return append([]byte("RIFF\x24\x00\x00\x00WEBPVP8 "), make([]byte, 28)...)
	default:
		err = png.Encode(&b, img)
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// photo is the content of a result.
func photo(of string, n int) []mcp.Content {
	data := Picture(of, n)
	encoded := base64.StdEncoding.EncodeToString(data)
	says := func(s string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: s}} }
	shows := func(kind string, data []byte) []mcp.Content {
		return append(says("look:"), &mcp.ImageContent{MIMEType: kind, Data: data})
	}
	switch of {
	case "a resource":
		return []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "photo://1", MIMEType: "application/octet-stream", Blob: data}}}
	case "many":
		var all []mcp.Content
		for i := range n {
			all = append(all, &mcp.ImageContent{MIMEType: "image/png", Data: Picture("png", i)})
		}
		return all
	case "too large":
		return shows("image/png", append(data, make([]byte, 4<<20)...))
	case "too wide":
		wide := bytes.Clone(data)
		copy(wide[16:], "\x00\x00\x75\x30\x00\x00\x75\x30") // 30,000 × 30,000
		binary.BigEndian.PutUint32(wide[29:], crc32.ChecksumIEEE(wide[12:29]))
		return shows("image/png", wide)
	case "svg":
		return shows("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`))
	case "html":
		return shows("image/png", []byte(`<html><script>alert(1)</script></html>`))
	case "a data address":
		return says("![chart](data:image/png;base64," + encoded + ") is done")
	case "JSON":
		return says(fmt.Sprintf(`{"type":"image","data":%q,"mimeType":"image/png"}`, encoded))
	case "JSON of PHP":
		return says(`{"image":"` + strings.ReplaceAll(encoded, "/", `\/`) + `","ok":true}`)
	case "lines":
		var lines []string
		for rest := encoded; rest != ""; {
			cut := min(76, len(rest))
			lines, rest = append(lines, rest[:cut]), rest[cut:]
		}
		return says("Content-Transfer-Encoding: base64\n\n" + strings.Join(lines, "\r\n") + "\n")
	case "a document":
		return says("saved: " + base64.StdEncoding.EncodeToString(append([]byte("%PDF-1.7\n"), make([]byte, 3000)...)))
	case "a key":
		return says("token: " + strings.Repeat("q83vEjRWeJ", 60))
	}
	return shows("image/"+of, data)
}
