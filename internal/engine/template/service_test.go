package template_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/toolbox"
)

// service starts a generated program as its README says, waits for the line
// with which it reports that it listens, and gives its address.
func service(t *testing.T, dir string, env []string, name string, args ...string) (url string, stop func() error) {
	t.Helper()
	port := freePort(t)
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PORT="+port), env...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	for line := ""; !strings.Contains(line, port); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatalf("%s did not start: %v", name, err)
		}
	}
	return "http://127.0.0.1:" + port, func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, lines); err != nil {
			return err
		}
		return cmd.Wait()
	}
}

// freePort gives a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	address, err := toolbox.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func ask(t *testing.T, method, url, token, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(resp.Body)
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// checkService starts an API with a token twice: it answers, it ends well when
// told to, and it finds its records again.
func checkService(t *testing.T, dir, resource string, env []string, name string, args ...string) {
	t.Helper()
	const token = "0123456789abcdef0123"
	env = append(env, "API_TOKEN="+token)
	url, stop := service(t, dir, env, name, args...)
	if status, answer := ask(t, "GET", url+"/healthz", "", ""); status != 200 || !strings.Contains(answer, "ok") {
		t.Errorf("health = %d %s", status, answer)
	}
	if status, _ := ask(t, "GET", url+resource, "wrong", ""); status != 401 {
		t.Errorf("a wrong token is answered with %d", status)
	}
	if status, answer := ask(t, "POST", url+resource, token, `{"title": "kept"}`); status != 201 {
		t.Errorf("post = %d %s", status, answer)
	}
	if err := stop(); err != nil {
		t.Errorf("the service ended with %v", err)
	}

	url, stop = service(t, dir, env, name, args...)
	if status, answer := ask(t, "GET", url+resource, token, ""); status != 200 || !strings.Contains(answer, "kept") {
		t.Errorf("after a restart: %d %s", status, answer)
	}
	if err := stop(); err != nil {
		t.Errorf("the service ended with %v", err)
	}
}

func TestServicesRun(t *testing.T) {
	t.Parallel()
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		need(t, "python3")
		dir := begin(t, "a Python todo API with a database and authentication", nil).write(t)
		checkService(t, dir, "/todos", nil, "python3", "-m", "app")
	})
	t.Run("static", func(t *testing.T) {
		t.Parallel()
		need(t, "node")
		dir := begin(t, "a website with faq", nil).write(t)
		url, stop := service(t, dir, nil, "node", "serve.mjs")
		if status, answer := ask(t, "GET", url+"/", "", ""); status != 200 || !strings.Contains(answer, `id="faq"`) {
			t.Errorf("page = %d %s", status, answer)
		}
		if err := stop(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
}
