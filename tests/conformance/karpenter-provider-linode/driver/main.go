// The driver runs cases through a release of the Karpenter provider for Linode, each against a fake Linode API of its
// own, and writes down what came of each step: which calls were made, the class of the result, and the state at the end.
//
// It knows nothing of what should come out. Who compares reads its files.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

type settings struct {
	cases  string
	fake   string
	out    string
	design string
	only   string
	ids    string
	jobs   int
}

func main() {
	var s settings
	flag.StringVar(&s.cases, "cases", "", "folder of case files")
	flag.StringVar(&s.fake, "fake", "", "program that serves the fake: lkesim")
	flag.StringVar(&s.out, "out", "", "folder to write to")
	flag.StringVar(&s.design, "design", "", "run the cases that are for this design")
	flag.StringVar(&s.only, "only", "", "run cases whose file has this in its name")
	flag.StringVar(&s.ids, "ids", "", "run these cases alone: `name.tier,…`")
	flag.IntVar(&s.jobs, "jobs", 16, "cases at once")
	flag.Parse()
	// The SDK and the controllers log each retry, which nobody reads here.
	log.SetOutput(io.Discard)
	ctrllog.SetLogger(logr.Discard())
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(s settings) error {
	jobs, err := loadCases(s.cases, s.design, s.only)
	if err != nil {
		return err
	}
	if s.ids != "" {
		ids := strings.Split(s.ids, ",")
		jobs = slices.DeleteFunc(jobs, func(job job) bool { return !slices.Contains(ids, job.id()) })
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	failures := make([]error, len(jobs))
	slots := make(chan struct{}, s.jobs)
	var all sync.WaitGroup
	for i, job := range jobs {
		all.Add(1)
		go func() {
			defer all.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			failures[i] = perform(s, job)
		}()
	}
	all.Wait()
	failed := 0
	for i, err := range failures {
		if err != nil {
			failed++
			fmt.Fprintf(os.Stderr, "%s: %v\n", jobs[i].id(), err)
		}
	}
	fmt.Fprintf(os.Stderr, "%d cases driven, %d failed\n", len(jobs), failed)
	if failed > 0 {
		return fmt.Errorf("%d cases could not be driven", failed)
	}
	return nil
}

// perform drives one case on one tier and writes its file.
func perform(s settings, job job) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	scenario, err := job.scenario()
	if err != nil {
		return err
	}
	fake, err := startFake(s.fake, job.id(), scenario)
	if err != nil {
		return err
	}
	defer fake.stop()
	record, err := drive(fake, job)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.out, job.id()+".json"), append(text, '\n'), 0o644)
}
