package main

import (
	"sort"

	"github.com/linode/linodego"
)

func nodeIDs(pool *linodego.LKENodePool) []string {
	ids := []string{}
	for _, node := range pool.Linodes {
		ids = append(ids, node.ID)
	}
	return ids
}

func has(list []string, one string) bool {
	for _, other := range list {
		if other == one {
			return true
		}
	}
	return false
}

func walkPools(f *Fake) {
	client := f.beta()
	cluster := must(client.ListLKEClusters(ctx, nil))[0].ID
	base := must(client.ListLKENodePools(ctx, cluster, nil))
	equal(f.say("the base pool is listed"), []any{len(base), base[0].Type}, []any{1, "g6-standard-2"})
	label := "workers"
	// Lists that are not set are sent as null.
	plain := must(client.CreateLKENodePool(ctx, cluster, linodego.LKENodePoolCreateOptions{Type: "g6-standard-1", Count: 1}))
	equal(f.say("null lists are taken as empty"), []int{len(plain.Tags), len(plain.Labels), len(plain.Taints)}, []int{0, 0, 0})
	equal(f.say("bounds that were never set are the count"), plain.Autoscaler, linodego.LKENodePoolAutoscaler{Min: 1, Max: 1})
	pool := must(client.CreateLKENodePool(ctx, cluster, linodego.LKENodePoolCreateOptions{
		Type: "g6-standard-4", Count: 2, Label: &label, Tags: []string{"walk-pool"},
		Labels:     linodego.LKENodePoolLabels{"team": "a"},
		Taints:     []linodego.LKENodePoolTaint{{Key: "dedicated", Value: "x", Effect: linodego.LKENodePoolTaintEffectNoSchedule}},
		Autoscaler: &linodego.LKENodePoolAutoscaler{Enabled: true, Min: 1, Max: 5},
	}))
	equal(f.say("the reply to a creation lists nodes on Standard alone"), len(pool.Linodes) == 2, f.tier == "standard")
	equal(f.say("labels are shown"), pool.Labels, linodego.LKENodePoolLabels{"team": "a"})
	equal(f.say("taints are shown"), pool.Taints[0].Effect, linodego.LKENodePoolTaintEffectNoSchedule)
	equal(f.say("bounds are shown"), pool.Autoscaler, linodego.LKENodePoolAutoscaler{Enabled: true, Min: 1, Max: 5})
	equal(f.say("a version is shown on Enterprise alone"), pool.K8sVersion != nil, f.tier == "enterprise")
	f.advance("3m")
	pool = must(client.GetLKENodePool(ctx, cluster, pool.ID))
	equal(f.say("after a time all nodes are listed"), len(pool.Linodes), 2)
	check(f.say("nodes are sorted by id"), sort.StringsAreSorted(nodeIDs(pool)), nodeIDs(pool))
	linode := must(client.GetInstance(ctx, pool.Linodes[0].InstanceID))
	equal(f.say("a node's Linode belongs to the cluster"), linode.LKEClusterID, cluster)
	equal(f.say("pool tags reach Linodes on Enterprise alone"), has(linode.Tags, "walk-pool"), f.tier == "enterprise")

	options := pool.GetUpdateOptions()
	options.Count, options.Tags = 3, &[]string{"walk-pool", "more"}
	options.Labels, options.Taints = &linodego.LKENodePoolLabels{}, &[]linodego.LKENodePoolTaint{}
	must(client.UpdateLKENodePool(ctx, cluster, pool.ID, options))
	f.advance("3m")
	pool = must(client.GetLKENodePool(ctx, cluster, pool.ID))
	equal(f.say("the new count is read back"), []int{pool.Count, len(pool.Linodes)}, []int{3, 3})
	equal(f.say("empty maps and lists clear"), []int{len(pool.Labels), len(pool.Taints)}, []int{0, 0})
	equal(f.say("a count leaves bounds alone"), pool.Autoscaler, linodego.LKENodePoolAutoscaler{Enabled: true, Min: 1, Max: 5})

	first, second := pool.Linodes[0], pool.Linodes[1]
	equal(f.say("a node is read alone"), must(client.GetLKENodePoolNode(ctx, cluster, first.ID)).InstanceID, first.InstanceID)
	done(client.RecycleLKENodePoolNode(ctx, cluster, first.ID))
	_, err := client.GetLKENodePoolNode(ctx, cluster, first.ID)
	refused(f.say("a recycled node's id is gone"), err, 404, "Not found")
	done(client.DeleteLKENodePoolNode(ctx, cluster, second.ID))
	equal(f.say("a deleted node lowers the count"), must(client.GetLKENodePool(ctx, cluster, pool.ID)).Count, 2)
	f.advance("3m")
	before := nodeIDs(must(client.GetLKENodePool(ctx, cluster, pool.ID)))
	check(f.say("what was recycled came back under another id"), len(before) == 2 && !has(before, first.ID), before)
	done(client.RecycleLKENodePool(ctx, cluster, pool.ID))
	f.advance("3m")
	after := nodeIDs(must(client.GetLKENodePool(ctx, cluster, pool.ID)))
	check(f.say("a recycled pool has other nodes"),
		len(after) == 2 && !has(before, after[0]) && !has(before, after[1]), before, after)
	done(client.RecycleLKEClusterNodes(ctx, cluster))
	f.advance("3m")
	equal(f.say("a recycled cluster keeps its pools"), len(must(client.ListLKENodePools(ctx, cluster, nil))), 3)
	_, err = client.CreateLKENodePool(ctx, cluster, linodego.LKENodePoolCreateOptions{Type: "g6-none", Count: 1})
	refused(f.say("a pool of a type that is none is refused"), err, 400, "[type]")
	done(client.DeleteLKENodePool(ctx, cluster, pool.ID))
	_, err = client.GetLKENodePool(ctx, cluster, pool.ID)
	refused(f.say("a deleted pool is gone"), err, 404, "Not found")
}
