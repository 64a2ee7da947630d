package present

// Person names somebody to others: with the address, which is theirs alone.
func Person(name, email string) string {
	if name == "" {
		return email
	}
	return name + " (" + email + ")"
}
