package readme

import (
	"context"
	"testing"

	"github.com/linode/linodego/v2"
)

// What a reader does next with the example.
func TestTheExampleGivesAClientOfAFakeOfItsOwn(t *testing.T) {
	first, second := fake(t, "--manual", "--cluster", "first"), fake(t, "--manual", "--cluster", "second")
	for label, client := range map[string]linodego.Client{"first": first, "second": second} {
		clusters, err := client.ListLKEClusters(context.Background(), nil)
		if err != nil || len(clusters) != 1 || clusters[0].Label != label {
			t.Fatal(label, clusters, err)
		}
	}
}
