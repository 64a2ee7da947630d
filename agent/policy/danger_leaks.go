package policy

import (
	"slices"
	"strings"

	"fusebox/agent/shell"
)

var leakDangers = []danger{
	{id: "shell-upload", reason: "The command sends files with a request.", programs: has("curl"), args: re(`^-[A-Za-z]*T|^--upload-file`)},
	{id: "shell-upload", reason: "The command sends files with a request.", programs: has("curl"), when: curlSends},
	{id: "shell-upload", reason: "The command sends files with a request.", programs: has("wget"), args: re(`^--(post|body)-file`)},
	{id: "shell-upload", reason: "The command sends files with a request.", programs: has("http https xh"), args: re(`@|^<`)},
	{id: "shell-upload", reason: "The command puts what it reads into an address.", programs: has("curl wget fetch http https dig nslookup host ping drill"), args: re(`\$\(\)`)},
	{id: "shell-raw-network", reason: "The command opens a connection for any data.", programs: has("nc ncat netcat socat telnet ftp lftp tftp sftp cryptcat chisel ngrok cloudflared")},
	{id: "shell-raw-network", reason: "The command opens a connection for any data.", programs: has("openssl"), verbs: []string{"s_client"}},
	{id: "shell-raw-network", reason: "The command opens a connection for any data.", when: func(c shell.Command) bool {
		return slices.ContainsFunc(slices.Concat(c.Writes, c.Reads), func(p string) bool {
			return strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/")
		})
	}},
	{id: "shell-copy-out", reason: "The command copies files to or from another machine.", programs: has("scp rsync rcp"), args: re(`^([\w.-]+@)?[\w.$-]+:|^\[|^(rsync|ssh|scp)://`)},
	{id: "shell-copy-out", reason: "The command copies files to another machine.", programs: has("ssh"), when: func(c shell.Command) bool { return len(c.Upstream)+len(c.Reads)+len(c.Input) > 0 }},
	{id: "shell-copy-out", reason: "The command lets other machines in, or this one out.", programs: has("ssh"), args: re(`^-[A-Za-z]*[RLDwN]|^-o(ProxyCommand|LocalCommand)|ProxyCommand`)},
	{id: "shell-copy-out", reason: "The command copies files to a store elsewhere.", programs: has("aws"), verbs: []string{"s3 cp", "s3 sync", "s3 mv"}, args: re(`^s3://`), when: toRemote},
	{id: "shell-copy-out", reason: "The command copies files to a store elsewhere.", programs: has("gsutil s3cmd mc s5cmd rclone azcopy"), verbs: []string{"cp", "put", "mv", "sync", "copy", "move", "rsync", "mirror"}, when: toRemote},
	{id: "shell-copy-out", reason: "The command copies files to a store elsewhere.", programs: has("gcloud az"), verbs: []string{"storage cp", "storage rsync", "storage blob upload", "storage blob upload-batch"}},
	{id: "shell-secrets", reason: "The command reads keys or passwords, and the model gets what it prints.", args: re(`(^|[/=@])(\.ssh/[^ ]*|\.aws/credentials|\.netrc|\.pgpass|\.gnupg(/.*)?|\.kube/config|\.docker/config\.json|id_(rsa|dsa|ecdsa|ed25519)|fusebox\.(db|toml)[^ ]*)$|^/etc/(g?shadow|sudoers)|^/proc/[^/]+/(environ|mem|maps)`)},
	{id: "shell-secrets", reason: "The command reads keys or passwords, and the model gets what it prints.", programs: has("gpg gpg2"), args: re(`^--export-secret`)},
	{id: "shell-mail", reason: "The command sends mail.", programs: has("mail mailx sendmail mutt msmtp swaks")},
	{id: "shell-code-connects", reason: "The program in the command connects to other machines.", code: re(`\bsocket\b|\brequests\.(post|put|patch|request)|\burlopen\s*\([^)]*,|\bhttp\.client\b|\bftplib\b|\bsmtplib\b|\bparamiko\b|IO::Socket|\bLWP\b|HTTP::(Tiny|Request)|\bnet\.(connect|createConnection|Socket)|\bhttps?\.request\b|\bmethod\s*:\s*["']?(POST|PUT|PATCH)|TCPSocket|Net::HTTP|fsockopen|curl_exec`)},
}

var curlData = re(`^(-d|--data|--data-ascii|--data-binary|--data-raw|--data-urlencode|--json|-F|--form|--form-string)(=.*)?$|^-[dF].+`)

// curlSends reports whether a request takes along a file, or what a command has put out.
func curlSends(c shell.Command) bool {
	for i, a := range c.Args {
		if !curlData(a) {
			continue
		}
		value := a
		if i+1 < len(c.Args) {
			value += " " + c.Args[i+1]
		}
		if strings.Contains(value, "@") && !strings.HasPrefix(a, "--data-raw") || strings.Contains(value, "$") || strings.Contains(value, "=<") {
			return true
		}
	}
	return false
}

// toRemote reports whether the last operand is a place elsewhere.
func toRemote(c shell.Command) bool {
	operands := c.Operands()
	return len(operands) > 0 && strings.Contains(operands[len(operands)-1], ":")
}
