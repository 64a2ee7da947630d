package o200k

// union is of two neighbouring tokens: the part of a piece that they are, and its rank.
type union struct {
	rank     uint32
	from, to int32
}

func (u union) before(v union) bool { return u.rank < v.rank || u.rank == v.rank && u.from < v.from }

// merged returns how many tokens a piece comes to: from single bytes on, the two
// neighbours of the lowest rank become one until no two are a token together.
func (v *vocabulary) merged(piece string) int {
	if _, whole := v.rank(piece); whole {
		return 1
	}
	n := int32(len(piece))
	ends := make([]int32, n+1)   // of the token that begins at an index, 0 where none begins
	begins := make([]int32, n+1) // of the token that ends at an index
	for i := range n {
		ends[i], begins[i+1] = i+1, i
	}
	next := make(unions, 0, n)
	offer := func(from, to int32) {
		if rank, ok := v.rank(piece[from:to]); ok {
			next.push(union{rank, from, to})
		}
	}
	for i := range n - 1 {
		offer(i, i+2)
	}
	tokens := int(n)
	for len(next) > 0 {
		u := next.pop()
		middle := ends[u.from]
		if middle == 0 || middle == n || ends[middle] != u.to {
			continue // one of the two has been merged with another
		}
		ends[u.from], begins[u.to], ends[middle] = u.to, u.from, 0
		tokens--
		if u.from > 0 {
			offer(begins[u.from], u.to)
		}
		if u.to < n {
			offer(u.from, ends[u.to])
		}
	}
	return tokens
}

// unions is a heap, the first to merge on top. The standard library's would
// allocate for each of them.
type unions []union

func (h *unions) push(u union) {
	s := append(*h, u)
	i := len(s) - 1
	for parent := (i - 1) / 2; i > 0 && u.before(s[parent]); parent = (i - 1) / 2 {
		s[i], i = s[parent], parent
	}
	s[i] = u
	*h = s
}

func (h *unions) pop() union {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	for i, child := 0, 1; len(s) > 0; child = 2*i + 1 {
		if child+1 < len(s) && s[child+1].before(s[child]) {
			child++
		}
		if child >= len(s) || !s[child].before(last) {
			s[i] = last
			break
		}
		s[i], i = s[child], child
	}
	*h = s
	return top
}
