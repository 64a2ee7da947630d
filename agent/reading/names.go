package reading

import (
	"path"
	"strings"

	"fusebox/agent"
)

// extensions are those of names that say a type.
var extensions = byExtension(map[agent.DocumentType]string{
	agent.TypeText:     "txt text log",
	agent.TypeMarkdown: "md markdown mdown mkd mdx",
	agent.TypeHTML:     "html htm xhtml",
	agent.TypeCSV:      "csv tsv tab",
	agent.TypePDF:      "pdf",
	agent.TypeWord:     "docx docm dotx dotm",
	agent.TypeExcel:    "xlsx xlsm xltx xltm",
	agent.TypeSlides:   "pptx pptm ppsx ppsm potx potm",
	agent.TypeBook:     "epub",
	agent.TypeCode: "bash bat c cc cfg clj cmake conf cpp cs css cxx dart env erb ex exs erl fish go gradle groovy h hpp hs hxx " +
		"ini java jl js json json5 jsonl jsp jsx kt kts less lisp lua m mk ml mod nim nix patch diff php pl pm properties proto ps1 py r " +
		"rb rs sass scala scss sh sql svelte swift templ tex tf toml ts tsx vb vim vue xml xsd xsl yaml yml zig zsh",
	"": "doc dot xls xlt ppt pps rtf odt ods odp pages numbers key zip gz tar rar 7z exe dll " +
		"png jpg jpeg gif bmp webp tif tiff heic svg ico mp3 m4a wav ogg flac mp4 mov avi mkv webm",
})

func byExtension(lists map[agent.DocumentType]string) map[string]agent.DocumentType {
	types := map[string]agent.DocumentType{}
	for is, list := range lists {
		for ext := range strings.FieldsSeq(list) {
			types["."+ext] = is
		}
	}
	return types
}

// TypeOfName is the type that a file's name says, "" for one that is not read; it is false
// where the name says none.
func TypeOfName(name string) (agent.DocumentType, bool) {
	switch base := path.Base(name); base {
	case "Makefile", "Dockerfile", "Containerfile", "Jenkinsfile", "Vagrantfile":
		return agent.TypeCode, true
	default:
		is, known := extensions[strings.ToLower(path.Ext(base))]
		return is, known
	}
}
