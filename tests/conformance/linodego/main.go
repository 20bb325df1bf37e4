// Walks the served fake with linodego as its users do, and checks what it makes of the answers.
//
// There are two fakes, one a tier, whose clocks are moved by hand, so that nothing is waited for but the client's own
// pauses.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"reflect"
)

var checks, failed int

// check counts a check and prints its line.
func check(name string, truth bool, found ...any) {
	checks++
	if truth {
		fmt.Printf("ok      %s\n", name)
		return
	}
	failed++
	fmt.Printf("FAILED  %s: found %v\n", name, found)
}

func equal(name string, found, wanted any) {
	check(name, reflect.DeepEqual(found, wanted), found)
}

// must ends the walk where a call that has to succeed does not: what follows would tell nothing.
func must[T any](value T, err error) T {
	if err != nil {
		fmt.Printf("FAILED  a call that has to succeed: %v\n%d checks, 1 FAILED\n", err, checks+1)
		os.Exit(1)
	}
	return value
}

func done(err error) {
	must(struct{}{}, err)
}

func main() {
	// linodego logs each of its own retries.
	log.SetOutput(io.Discard)
	for _, tier := range []string{"standard", "enterprise"} {
		fake := fakeOf(tier)
		for _, walk := range []func(*Fake){walkClusters, walkPools, walkInstances, walkTags, walkPages, walkFaults} {
			fake.reset()
			walk(fake)
		}
	}
	walkCatalogue(fakeOf("standard"))
	if failed > 0 {
		fmt.Printf("%d checks, %d FAILED\n", checks, failed)
		os.Exit(1)
	}
	fmt.Printf("%d checks, all passed\n", checks)
}
