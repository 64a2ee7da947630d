package room

// Probe is what a checker tries to reach.
type Probe struct {
	File string
	Port int64 // of this machine's loopback
	// PID is the server, and PIDs its namespace of processes.
	PID  int64
	PIDs string
}

func (p *Probe) fields() []field {
	return []field{{"file", &p.File}, {"port", &p.Port}, {"pid", &p.PID}, {"pids", &p.PIDs}}
}

// Encode writes the probe for a checker.
func (p Probe) Encode() string { return encode(p.fields()) }

// Found is what a checker has found out.
type Found struct {
	// These stand.
	Files, Modes, Network, Processes, Limits bool
	// UID is the user as seen from outside.
	UID int64
}

func (f *Found) fields() []field {
	return []field{
		{"files", &f.Files}, {"modes", &f.Modes}, {"network", &f.Network}, {"processes", &f.Processes}, {"limits", &f.Limits}, {"uid", &f.UID},
	}
}

// ReadFound reads what a checker has written.
func ReadFound(text string) (Found, error) {
	var f Found
	err := decode(text, f.fields())
	return f, err
}
