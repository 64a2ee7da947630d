package present

import (
	"net/url"

	"fusebox/agent"
	"fusebox/views/part"
)

// picturesOf are the pictures of a result of a run.
func picturesOf(runID string, images []agent.Image) (list []part.Picture) {
	for _, img := range images {
		list = append(list, part.Picture{
			Href: "/api/v1/runs/" + runID + "/images/" + url.PathEscape(img.Name), Kind: img.Type + ", " + Bytes(img.Bytes),
		})
	}
	return list
}
