package room

// failure says what could not be done. Package fmt would be initialised too late.
type failure struct {
	what string
	err  error
}

func (f *failure) Error() string { return f.what + ": " + f.err.Error() }

func (f *failure) Unwrap() error { return f.err }
