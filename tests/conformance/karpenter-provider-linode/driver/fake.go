package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// token is the provider's, and byHand that of who acts past it.
const (
	token  = "conformance"
	byHand = "hand"
)

// fake is a served cloud of one case.
type fake struct {
	url     string
	process *exec.Cmd
	file    string
	client  http.Client
	seen    int
}

// startFake starts a process with this scenario and waits for the line that tells its port.
func startFake(program, name string, scenario []byte) (*fake, error) {
	file, err := os.CreateTemp("", "case-*.yaml")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Write(scenario); err != nil {
		return nil, err
	}
	process := exec.Command(program, "serve", file.Name(), "--listen", "127.0.0.1:0", "--token", token, "--token", byHand,
		"--epoch", "now")
	process.Stderr = os.Stderr
	output, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("starting the fake: %w", err)
	}
	f := &fake{process: process, file: file.Name(), client: http.Client{Timeout: time.Minute}}
	line, err := bufio.NewReader(output).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !found {
		f.stop()
		return nil, fmt.Errorf("the fake of %s did not say where it listens: %q", name, line)
	}
	f.url = url
	go func() { _, _ = io.Copy(io.Discard, output) }()
	return f, nil
}

func (f *fake) stop() {
	_ = f.process.Process.Signal(syscall.SIGTERM)
	done := time.AfterFunc(5*time.Second, func() { _ = f.process.Process.Kill() })
	_ = f.process.Wait()
	done.Stop()
	_ = os.Remove(f.file)
}

func (f *fake) do(method, path string, body any) ([]byte, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, f.url+path, sent)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+byHand)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := f.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return text, nil
}

// call is a request as the fake received it.
type call struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Query  string          `json:"query,omitempty"`
	Filter *string         `json:"x_filter,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
	Status int             `json:"status"`
}

// calls tells the provider's requests since it was last asked.
func (f *fake) calls() ([]call, error) {
	text, err := f.do("GET", fmt.Sprintf("/_fake/requests?from=%d", f.seen+1), nil)
	if err != nil {
		return nil, err
	}
	calls := []call{}
	lines := json.NewDecoder(bytes.NewReader(text))
	for lines.More() {
		var line struct {
			call
			N     int    `json:"n"`
			Token string `json:"token"`
		}
		if err := lines.Decode(&line); err != nil {
			return nil, err
		}
		f.seen = max(f.seen, line.N)
		if line.Token != token {
			continue
		}
		line.Path = strings.TrimPrefix(line.Path, "/v4beta")
		calls = append(calls, line.call)
	}
	return calls, nil
}

// state is the truth, whatever a lagging view shows.
func (f *fake) state() (json.RawMessage, error) { return f.do("GET", "/_fake/state", nil) }

// act does what somebody does past the provider.
func (f *fake) act(h hand) error {
	var err error
	switch {
	case h.DeleteLinode > 0:
		_, err = f.do("DELETE", fmt.Sprintf("/v4beta/linode/instances/%d", h.DeleteLinode), nil)
	case h.DeletePool > 0:
		_, err = f.do("DELETE", fmt.Sprintf("/v4beta/lke/clusters/%d/pools/%d", clusterID, h.DeletePool), nil)
	case h.Pool > 0:
		path := fmt.Sprintf("/v4beta/lke/clusters/%d/pools/%d", clusterID, h.Pool)
		_, err = f.do("PUT", path, map[string]any{"count": h.Count})
	case h.Linode > 0:
		path := fmt.Sprintf("/v4beta/linode/instances/%d", h.Linode)
		_, err = f.do("PUT", path, map[string]any{"tags": h.Tags})
	default:
		err = fmt.Errorf("`hand` names no deed")
	}
	return err
}
