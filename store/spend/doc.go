// Package spend sums the bill: sums.go adds each line to the sums that it is part of, spend.go
// answers who spent how much on which model or tool in which span of time, and parts.go covers
// any range with as few sums and lines as it takes.
//
// It imports agent and sqlite. It writes only spend_sums, and reads the bill and the names of
// people and conversations.
package spend
