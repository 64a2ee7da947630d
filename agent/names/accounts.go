package names

import "fusebox/agent"

// maxAlike bounds how many accounts are named that look like one.
const maxAlike = 5

// Accounts finds those that look alike.
type Accounts map[string][]agent.User

// Of makes it of all accounts.
func Of(users []agent.User) Accounts {
	all := Accounts{}
	for _, u := range users {
		for _, key := range keys(u) {
			all[key] = append(all[key], u)
		}
	}
	return all
}

// Like are the addresses of other accounts whose address or name looks like that of one.
func (a Accounts) Like(u agent.User) (found []string) {
	seen := map[string]bool{u.ID: true}
	for _, key := range keys(u) {
		for _, other := range a[key] {
			if !seen[other.ID] && len(found) < maxAlike {
				found = append(found, other.Email)
			}
			seen[other.ID] = true
		}
	}
	return found
}

// keys are what an account is known by: its address and its name.
func keys(u agent.User) []string {
	list := []string{"address " + skeleton(u.Email)}
	if u.Name != "" {
		list = append(list, "name "+skeleton(u.Name))
	}
	return list
}
