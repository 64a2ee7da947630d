package policy

import (
	"regexp"
	"slices"
	"strings"

	"fusebox/agent/shell"
)

var treeDangers = []danger{
	{id: "shell-recursive-delete", reason: "The command deletes whole directories.", script: deletesTrees},
	{id: "shell-recursive-delete", reason: "The command deletes whatever another program finds.", programs: has("rm rmdir unlink shred truncate"), when: func(c shell.Command) bool {
		return slices.Contains(has("find fd xargs parallel"), c.By)
	}},
}

var dataDangers = []danger{
	{id: "shell-disk", reason: "The command writes to disks or file systems themselves.", programs: has("mkfs* wipefs fdisk sfdisk gdisk parted mkswap blkdiscard badblocks cryptsetup lvremove vgremove pvremove zpool")},
	{id: "shell-disk", reason: "The command writes to disks or file systems themselves.", programs: has("dd"), args: re(`^of=/dev/([^n]|n[^u]|nu[^l]|nul[^l]|null.)`)},
	{id: "shell-overwrite", reason: "The command makes files unreadable or empty.", programs: has("shred srm wipe truncate")},
	{id: "shell-overwrite", reason: "The command makes files unreadable or empty.", programs: has("dd"), args: re(`^if=/dev/(zero|u?random)$`)},
	{id: "shell-overwrite", reason: "The command moves files to where nothing comes back from.", programs: has("mv"), args: re(`^/dev/null$`)},
	{id: "shell-mirror-delete", reason: "The command deletes what is not at the other place.", programs: has("rsync robocopy rclone"), args: re(`^--(del|delete.*|remove-source-files)$|^(purge|delete|deletefile|sync)$`)},
	{id: "shell-git-loss", reason: "The command throws away work that no commit has.", programs: has("git"), verbs: []string{"clean"}, args: re(`^-[A-Za-z]*[fxX]|^--force`)},
	{id: "shell-git-loss", reason: "The command throws away work that no commit has.", programs: has("git"), verbs: []string{"reset"}, args: re(`^--(hard|merge|keep)$`)},
	{id: "shell-git-loss", reason: "The command throws away work that no commit has.", programs: has("git"), verbs: []string{"checkout", "switch"}, args: re(`^(-f|--force|--discard-changes)$`)},
	{id: "shell-git-loss", reason: "The command throws away work that no commit has.", programs: has("git"), verbs: []string{"stash drop", "stash clear", "reflog expire", "reflog delete", "update-ref"}},
	{id: "shell-git-loss", reason: "The command throws away work that no commit has.", programs: has("git"), verbs: []string{"gc", "prune"}, args: re(`^--(prune|expire)(=|$)`)},
	{id: "shell-git-history", reason: "The command rewrites the history of a repository.", programs: has("git"), verbs: []string{"filter-branch", "filter-repo"}},
	{id: "shell-git-history", reason: "The command rewrites the history of a repository.", programs: has("bfg git-filter-repo")},
	{id: "shell-database", reason: "The command deletes tables or databases.", programs: has("dropdb dropuser")},
	{id: "shell-database", reason: "The command deletes tables or databases.", programs: has("mysqladmin"), verbs: []string{"drop"}},
	{id: "shell-database", reason: "The command deletes tables or databases.", programs: has("psql mysql mariadb sqlite3 sqlite sqlcmd clickhouse* duckdb cqlsh sqlplus"), when: sqlDeletes},
	{id: "shell-database", reason: "The command empties a database.", programs: has("redis-cli valkey-cli keydb-cli"), when: says(`(?i)\b(flushall|flushdb)\b`)},
	{id: "shell-database", reason: "The command empties a database.", programs: has("mongo mongosh"), when: says(`(?i)dropDatabase|\.drop\(|deleteMany\(\s*\{\s*\}|\.remove\(\s*\{\s*\}`)},
	{id: "shell-cloud", reason: "The command deletes what runs elsewhere.", programs: has("kubectl oc"), verbs: []string{"delete", "drain"}},
	{id: "shell-cloud", reason: "The command deletes what runs elsewhere.", programs: has("helm"), verbs: []string{"uninstall", "delete", "del", "un"}},
	{id: "shell-cloud", reason: "The command builds up or takes down what runs elsewhere.", programs: has("terraform tofu terragrunt"), verbs: []string{"apply", "destroy", "state rm", "taint", "force-unlock"}},
	{id: "shell-cloud", reason: "The command builds up or takes down what runs elsewhere.", programs: has("pulumi cdk sam serverless sls"), verbs: []string{"destroy", "up", "deploy", "remove", "delete"}},
	{id: "shell-cloud", reason: "The command deletes what is kept elsewhere.", programs: has("aws"), args: re(`^(rm|rb|delete-.*|terminate-.*|purge-.*|deregister-.*|remove-.*)$|^--delete$`)},
	{id: "shell-cloud", reason: "The command deletes what is kept elsewhere.", programs: has("gcloud az doctl hcloud flyctl fly heroku linode-cli oci ibmcloud bq vercel netlify firebase"), args: re(`^(.*[:-])?(delete|destroy|remove|purge|rm)$`)},
	{id: "shell-cloud", reason: "The command deletes what is kept elsewhere.", programs: has("gsutil s3cmd mc s5cmd"), verbs: []string{"rm", "rb", "del"}},
	{id: "shell-containers", reason: "The command deletes containers' data.", programs: has("docker podman nerdctl"), verbs: []string{"prune", "volume rm", "system reset"}},
	{id: "shell-containers", reason: "The command deletes containers' data.", programs: has("docker podman nerdctl docker-compose podman-compose"), verbs: []string{"down"}, args: re(`^(-v|--volumes)$`)},
	{id: "shell-code-deletes", reason: "The program in the command deletes files.", code: re(`rmtree|\bunlink\b|\bos\.(remove|rmdir|removedirs|truncate)\b|remove_tree|\brmdir\b|\brm(Sync|dirSync)\b|\bfs(\.promises)?\.rm\b|rimraf|FileUtils\.(rm|remove)|File\.delete|Dir\.(rmdir|delete)|Deno\.remove|Path\([^)]*\)\.(unlink|rmdir)`)},
}

// recursiveFlag is an option that may get into rm by way of a variable.
var recursiveFlag = re(`(^|[\s='"(])--?[A-Za-z]*[rR]`)

func deletesTrees(s shell.Script) bool {
	return s.Any(func(c shell.Command) bool {
		switch c.Name {
		case "rm":
			expands := slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasPrefix(a, "$") })
			return recursive(c, "rR") || (expands && recursiveFlag(s.Line))
		case "find", "fd":
			return slices.Contains(c.Args, "-delete")
		default:
			return false
		}
	})
}

// said is all text that a command is given: its arguments, its input, and what the
// commands before it in a pipe are given.
func said(c shell.Command) string {
	text := strings.Join(c.Args, " ") + "\n" + c.Input
	for _, up := range c.Upstream {
		text += "\n" + strings.Join(up.Args, " ") + "\n" + up.Input
	}
	return text
}

func says(pattern string) func(shell.Command) bool {
	fits := re(pattern)
	return func(c shell.Command) bool { return fits(said(c)) }
}

var (
	sqlDrops   = re(`(?i)\b(drop|truncate)\s+(table|database|schema|index|view|column|user|role|only\b|\w+\s*;?\s*$)|\balter\s+table\b[^;]*\bdrop\b|\.(restore|import)\b`)
	sqlDelete  = regexp.MustCompile(`(?i)\bdelete\s+from\b[^;]*`)
	sqlLimited = re(`(?i)\bwhere\b`)
)

// sqlDeletes reports whether SQL drops something, or deletes all rows of a table.
func sqlDeletes(c shell.Command) bool {
	text := said(c)
	return sqlDrops(text) || slices.ContainsFunc(sqlDelete.FindAllString(text, -1), func(d string) bool { return !sqlLimited(d) })
}
