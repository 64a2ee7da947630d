// Package mail writes the e-mails that tell people what waits, in their language.
package mail
