package readable

// The queries of what is read and cited.
const (
	CitedPassages = citedDocuments
	ReadByCalls   = callDocuments
)
