package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/linode/linodego"
)

const token = "fake-token"

// Fake is the served fake: the API, and the administration interface beside it.
type Fake struct {
	tier string
	url  string
}

func fakeOf(tier string) *Fake {
	variable := "FAKE_" + strings.ToUpper(tier)
	url := os.Getenv(variable)
	if url == "" {
		fmt.Printf("%s is not set: expected the address of a served fake\n", variable)
		os.Exit(1)
	}
	return &Fake{tier, url}
}

func (f *Fake) say(text string) string {
	return f.tier + ": " + text
}

func (f *Fake) ask(method, path string, body any) []byte {
	var sent io.Reader
	if body != nil {
		sent = bytes.NewReader(must(json.Marshal(body)))
	}
	request := must(http.NewRequest(method, f.url+"/_fake"+path, sent))
	request.Header.Set("Content-Type", "application/json")
	answer := must(http.DefaultClient.Do(request))
	defer answer.Body.Close()
	text := must(io.ReadAll(answer.Body))
	if answer.StatusCode != http.StatusOK {
		done(fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text))
	}
	return text
}

// advance moves the clock.
func (f *Fake) advance(by string) {
	f.ask(http.MethodPost, "/advance", map[string]any{"by": by})
}

type fields map[string]any

// fault puts one fault on.
func (f *Fake) fault(kind string, of fields) {
	f.ask(http.MethodPost, "/faults", fields{kind: of})
}

// calm takes all faults off.
func (f *Fake) calm() {
	f.ask(http.MethodDelete, "/faults", nil)
}

func (f *Fake) reset() {
	f.calm()
	f.ask(http.MethodPost, "/reset", nil)
}

type logged struct {
	N      int    `json:"n"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query"`
	Filter string `json:"x_filter"`
	Status int    `json:"status"`
}

// requests are those since a mark that last gave.
func (f *Fake) requests(after int) []logged {
	var all []logged
	for _, line := range strings.Split(strings.TrimSpace(string(f.ask(http.MethodGet, "/requests", nil))), "\n") {
		var one logged
		if line != "" {
			done(json.Unmarshal([]byte(line), &one))
			if one.N > after {
				all = append(all, one)
			}
		}
	}
	return all
}

func (f *Fake) last() int {
	all := f.requests(0)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1].N
}

func statuses(all []logged) []int {
	found := []int{}
	for _, one := range all {
		found = append(found, one.Status)
	}
	return found
}

// quiet drops what linodego and resty log of each try.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Debugf(string, ...any) {}

// client is one that waits a twentieth of a second where linodego's own limits are 3 and 30 s.
func (f *Fake) client(version string) *linodego.Client {
	client := linodego.NewClient(&http.Client{Timeout: 10 * time.Second})
	must(client.UseURL(f.url + "/" + version))
	client.SetToken(token)
	client.SetRetryWaitTime(50 * time.Millisecond)
	client.SetRetryMaxWaitTime(50 * time.Millisecond)
	client.UseCache(false)
	client.SetLogger(quiet{})
	return &client
}

func (f *Fake) beta() *linodego.Client {
	return f.client("v4beta")
}

// refused checks that a call ended in an error of the API, with this status and with this text in it.
func refused(name string, err error, status int, text string) {
	var own *linodego.Error
	if !errors.As(err, &own) {
		check(name, false, err)
		return
	}
	check(name, own.Code == status && strings.Contains(own.Message, text), own.Code, own.Message)
}
