// Package prices knows what models cost: the rows that admins have set, those of
// the configuration, and a table of well-known models that is part of the
// program. It imports nothing but the domain.
package prices
