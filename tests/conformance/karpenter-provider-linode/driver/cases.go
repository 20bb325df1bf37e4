package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// caseFile is a case as cases/README.md describes it.
type caseFile struct {
	About     string         `json:"about"`
	Tiers     []string       `json:"tiers"`
	Designs   []string       `json:"designs"`
	Compare   string         `json:"compare"`
	TagOrder  string         `json:"tag_order"`
	Retries   int            `json:"retries"`
	Fake      map[string]any `json:"fake"`
	NodeClass map[string]any `json:"node_class"`
	NodePools []string       `json:"node_pools"`
	Steps     []step         `json:"steps"`
}

// step has one of its members set beside After.
type step struct {
	After    string      `json:"after,omitempty"`
	Create   *claim      `json:"create,omitempty"`
	Get      *target     `json:"get,omitempty"`
	List     *struct{}   `json:"list,omitempty"`
	Delete   *target     `json:"delete,omitempty"`
	Tags     *createTags `json:"create_tags,omitempty"`
	Collect  *struct{}   `json:"collect,omitempty"`
	Tag      *claim      `json:"tag,omitempty"`
	Store    *stored     `json:"store,omitempty"`
	Wait     string      `json:"wait,omitempty"`
	Hand     *hand       `json:"hand,omitempty"`
	Parallel []step      `json:"parallel,omitempty"`
}

type claim struct {
	Claim         string            `json:"claim"`
	Types         []string          `json:"types"`
	NodePool      string            `json:"node_pool"`
	NodeClass     string            `json:"node_class"`
	Labels        map[string]string `json:"labels"`
	Taints        []map[string]any  `json:"taints"`
	StartupTaints []map[string]any  `json:"startup_taints"`
	ID            int               `json:"id"`
	ProviderID    string            `json:"provider_id"`
	Node          string            `json:"node"`
	Deleting      bool              `json:"deleting"`
}

type target struct {
	ID         int    `json:"id"`
	ProviderID string `json:"provider_id"`
}

type createTags struct {
	ID   int               `json:"id"`
	Tags map[string]string `json:"tags"`
}

// stored is what the API server has from then on.
type stored struct {
	Claims []claim `json:"claims"`
	Nodes  []node  `json:"nodes"`
}

type node struct {
	Node string `json:"node"`
	ID   int    `json:"id"`
}

// hand is what somebody does past the provider.
type hand struct {
	DeleteLinode int      `json:"delete_linode"`
	DeletePool   int      `json:"delete_pool"`
	Pool         int      `json:"pool"`
	Count        int      `json:"count"`
	Linode       int      `json:"linode"`
	Tags         []string `json:"tags"`
}

// job is a case on one tier.
type job struct {
	name string
	tier string
	file caseFile
}

func (j job) id() string { return j.name + "." + j.tier }

func loadCases(folder, design, only string) ([]job, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: no cases", folder)
	}
	slices.Sort(paths)
	var jobs []job
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var file caseFile
		if err := yaml.UnmarshalStrict(text, &file); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(file.Designs) > 0 && !slices.Contains(file.Designs, design) || !strings.Contains(name, only) {
			continue
		}
		tiers := file.Tiers
		if len(tiers) == 0 {
			tiers = []string{"standard", "enterprise"}
		}
		for _, tier := range tiers {
			jobs = append(jobs, job{name: name, tier: tier, file: file})
		}
	}
	return jobs, nil
}

// scenario is the cloud of a case in the language of lkesim. No delay but those that the case names; the workload is for
// simulated runs alone, and nobody here makes its NodeClaim.
func (j job) scenario() ([]byte, error) {
	scenario := map[string]any{
		"about":    j.file.About,
		"preset":   "zero",
		"workload": []any{map[string]any{"create": map[string]any{"claims": 1}}},
	}
	maps.Copy(scenario, j.file.Fake)
	cloud := map[string]any{}
	if own, ok := j.file.Fake["cloud"].(map[string]any); ok {
		maps.Copy(cloud, own)
	}
	cloud["tier"] = j.tier
	scenario["cloud"] = cloud
	return yaml.Marshal(scenario)
}

func span(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	return time.ParseDuration(text)
}
