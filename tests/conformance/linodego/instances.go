package main

import (
	"fmt"
	"net/http"
	"sort"

	"github.com/linode/linodego"
)

func listed(f *Fake, filter string) int {
	return len(must(f.beta().ListInstances(ctx, linodego.NewListOptions(0, filter))))
}

func walkInstances(f *Fake) {
	client := f.beta()
	all := must(client.ListInstances(ctx, nil))
	equal(f.say("three Linodes"), len(all), 3)
	linode := all[0]
	equal(f.say("a node of LKE has two addresses"), len(linode.IPv4), 2)
	equal(f.say("its specs are the type's"), []int{linode.Specs.VCPUs, linode.Specs.Memory}, []int{2, 4096})
	check(f.say("its times are read"), linode.Created != nil)
	tags := []string{"walk=1", "other"}
	must(client.UpdateInstance(ctx, linode.ID, linodego.InstanceUpdateOptions{Tags: &tags}))
	f.advance("1m")
	found := must(client.GetInstance(ctx, linode.ID)).Tags
	sort.Strings(found)
	equal(f.say("tags are replaced as a whole"), found, []string{"other", "walk=1"})
	for _, one := range []struct {
		filter string
		count  int
	}{
		{`{"tags":"walk=1"}`, 1},
		{`{"tags":"walk="}`, 0},
		{`{"tags":{"+contains":"walk="}}`, 1},
		{`{"+and":[{"tags":{"+contains":"walk="}},{"label":{"+neq":"x"}}]}`, 1},
		{`{"+or":[{"label":"` + linode.Label + `"},{"label":"x"}]}`, 1},
		{fmt.Sprintf(`{"lke_cluster_id":%d}`, linode.LKEClusterID), 3},
		{`{"+and":[{"+or":[{"region":"us-ord"}]}],"+order":"desc"}`, 3},
		{`{"+and":[]}`, 3},
		{`{"label":"` + linode.Label + `","+and":[{"tags":"walk=1"},{"tags":"other"}]}`, 1},
	} {
		equal(f.say("the filter "+one.filter), listed(f, one.filter), one.count)
	}
	_, err := client.ListInstances(ctx, linodego.NewListOptions(0, `{"hypervisor":"kvm"}`))
	refused(f.say("a field that is no filter is refused"), err, 400, "Cannot filter on hypervisor")
	_, err = client.GetInstance(ctx, 404404)
	refused(f.say("a Linode that is none is not found"), err, 404, "Not found")

	image := "linode/debian12"
	other := must(client.CreateInstance(ctx, linodego.InstanceCreateOptions{
		Type: "g6-nanode-1", Region: "us-ord", Label: "walk-plain", Image: image, RootPass: "not-a-real-password-1",
	}))
	equal(f.say("a Linode is provisioned first"), other.Status, linodego.InstanceProvisioning)
	f.advance("5m")
	equal(f.say("and runs then"), must(client.GetInstance(ctx, other.ID)).Status, linodego.InstanceRunning)
	_, err = client.CreateInstance(ctx, linodego.InstanceCreateOptions{Type: "g6-nanode-1", Region: "us-ord", Image: image})
	refused(f.say("an image needs somebody to log in"), err, 400,
		"Must provide valid root_pass, authorized_keys, or authorized_users")
	_, err = client.CreateInstance(ctx, linodego.InstanceCreateOptions{Type: "g6-nanode-1", Region: "us-ord", Label: "walk-plain"})
	refused(f.say("a label is had once"), err, 400, "[label] Label must be unique among your linodes")
	renamed := must(client.RenameInstance(ctx, other.ID, "walk-renamed"))
	equal(f.say("a Linode is renamed"), renamed.Label, "walk-renamed")
	done(client.ShutdownInstance(ctx, other.ID))
	client.SetRetryCount(0)
	refused(f.say("a Linode that goes off is busy"), client.BootInstance(ctx, other.ID, 0), 400, "Linode busy.")
	f.advance("5m")
	equal(f.say("it is off"), must(client.GetInstance(ctx, other.ID)).Status, linodego.InstanceOffline)
	done(client.BootInstance(ctx, other.ID, 0))
	f.advance("5m")
	done(client.RebootInstance(ctx, other.ID, 0))
	equal(f.say("it reboots"), must(client.GetInstance(ctx, other.ID)).Status, linodego.InstanceRebooting)
	done(client.DeleteInstance(ctx, other.ID))
	f.advance("5m")
	_, err = client.GetInstance(ctx, other.ID)
	refused(f.say("a deleted Linode is gone after a time"), err, 404, "Not found")
}

func walkTags(f *Fake) {
	client := f.beta()
	all := must(client.ListInstances(ctx, nil))
	tag := must(client.CreateTag(ctx, linodego.TagCreateOptions{Label: "walk-tag", Linodes: []int{all[0].ID, all[1].ID}}))
	equal(f.say("a tag is made"), tag.Label, "walk-tag")
	must(client.CreateTag(ctx, linodego.TagCreateOptions{Label: "a-first"}))
	f.advance("1m")
	labels := []string{}
	for _, one := range must(client.ListTags(ctx, nil)) {
		labels = append(labels, one.Label)
	}
	check(f.say("tags are listed in order"), sort.StringsAreSorted(labels) && has(labels, "a-first"), labels)
	objects := must(must(client.ListTaggedObjects(ctx, "walk-tag", nil)).SortedObjects())
	equal(f.say("what bears a tag is listed"), len(objects.Instances), 2)
	done(client.DeleteTag(ctx, "walk-tag"))
	f.advance("1m")
	equal(f.say("a deleted tag leaves what bore it"), has(must(client.GetInstance(ctx, all[0].ID)).Tags, "walk-tag"), false)
	_, err := client.ListTaggedObjects(ctx, "walk-tag", nil)
	refused(f.say("a tag that is none is not found"), err, 404, "Not found")
	_, err = client.CreateTag(ctx, linodego.TagCreateOptions{Label: "ab"})
	refused(f.say("a tag is not too short"), err, 400, "")
}

func walkPages(f *Fake) {
	client := f.beta()
	cluster := must(client.ListLKEClusters(ctx, nil))[0].ID
	must(client.CreateLKENodePool(ctx, cluster, linodego.LKENodePoolCreateOptions{Type: "g6-standard-1", Count: 57}))
	f.advance("3m")
	mark := f.last()
	all := must(client.ListInstances(ctx, &linodego.ListOptions{PageSize: 25}))
	seen := map[int]bool{}
	for _, one := range all {
		seen[one.ID] = true
	}
	equal(f.say("every page is walked"), []int{len(all), len(seen)}, []int{60, 60})
	equal(f.say("in three requests"), len(f.requests(mark)), 3)
	second := linodego.NewListOptions(2, "")
	second.PageSize = 25
	equal(f.say("one page is one request"), len(must(client.ListInstances(ctx, second))), 25)
	equal(f.say("its options tell how much there is"), []int{second.Pages, second.Results}, []int{3, 60})
	past := linodego.NewListOptions(9, "")
	past.PageSize = 25
	equal(f.say("a page past the end is empty"), len(must(client.ListInstances(ctx, past))), 0)
	_, err := client.ListInstances(ctx, &linodego.ListOptions{PageSize: 24})
	refused(f.say("a page is not too short"), err, 400, "[page_size] Must be 25-500")
	_, err = client.ListInstances(ctx, &linodego.ListOptions{PageSize: 501})
	refused(f.say("nor too long"), err, 400, "[page_size] Must be 25-500")
}

func walkFaults(f *Fake) {
	client := f.beta()
	own := must(client.ListLKEClusters(ctx, nil))[0].ID
	f.fault("refuse", fields{"call": "ListInstances", "status": 429, "reason": "Too many requests", "nth": 1, "retry_after": "1s"})
	mark := f.last()
	check(f.say("a 429 is waited out"), len(must(client.ListInstances(ctx, nil))) > 0)
	equal(f.say("by asking twice"), statuses(f.requests(mark)), []int{429, 200})
	f.calm()

	f.fault("refuse", fields{"call": "GetLKECluster", "status": 503, "nth": "1..2", "retry_after": "1s"})
	mark = f.last()
	equal(f.say("a 503 is waited out"), must(client.GetLKECluster(ctx, own)).ID, own)
	equal(f.say("by asking three times"), statuses(f.requests(mark)), []int{503, 503, 200})
	f.calm()

	f.fault("maintenance", fields{})
	mark = f.last()
	_, err := client.ListInstances(ctx, nil)
	refused(f.say("maintenance is an error"), err, 503, "")
	equal(f.say("at once"), statuses(f.requests(mark)), []int{503})
	f.calm()

	f.fault("refuse", fields{"call": "UpdateInstance", "status": 400, "reason": "Linode busy.", "nth": 1})
	tags, linode := []string{"walk=2"}, must(client.ListInstances(ctx, nil))[0].ID
	mark = f.last()
	must(client.UpdateInstance(ctx, linode, linodego.InstanceUpdateOptions{Tags: &tags}))
	equal(f.say("a busy Linode is waited for"), statuses(f.requests(mark)), []int{400, 200})
	f.calm()

	f.fault("refuse", fields{"call": "CreateLKENodePool", "status": 403})
	_, err = client.CreateLKENodePool(ctx, own, linodego.LKENodePoolCreateOptions{Type: "g6-standard-1", Count: 1})
	refused(f.say("what is forbidden is an error"), err, 403, "")
	f.calm()

	f.fault("refuse", fields{"call": "ListLKENodePools", "status": 500, "body": "empty"})
	pools, err := client.ListLKENodePools(ctx, own, nil)
	check(f.say("an error that lists nothing passes for an empty list"), err == nil && len(pools) == 0, pools, err)
	f.calm()

	f.fault("refuse", fields{"call": "GetInstance", "status": 502, "body": "nginx_page"})
	_, err = client.GetInstance(ctx, linode)
	check(f.say("a page of the proxy is an error"), err != nil, err)
	f.calm()

	before := len(must(client.ListLKENodePools(ctx, own, nil)))
	f.fault("lose", fields{"call": "CreateLKENodePool", "nth": 1})
	_, err = client.CreateLKENodePool(ctx, own, linodego.LKENodePoolCreateOptions{Type: "g6-standard-1", Count: 1})
	check(f.say("a lost answer is an error that is not the API's"), err != nil, err)
	f.calm()
	equal(f.say("though the pool was made, once"), len(must(client.ListLKENodePools(ctx, own, nil))), before+1)

	foreign := f.beta()
	foreign.SetToken("nobody's")
	_, err = foreign.ListInstances(ctx, nil)
	refused(f.say("a token that is none is refused"), err, 401, "Invalid Token")
	f.advance("2m")
	hasty := f.beta()
	hasty.SetRetryCount(0)
	accepted, limited := 0, 0
	for range 220 {
		_, err := hasty.ListInstances(ctx, linodego.NewListOptions(1, ""))
		switch {
		case err == nil:
			accepted++
		case linodego.ErrHasStatus(err, http.StatusTooManyRequests):
			limited++
		}
	}
	equal(f.say("lists are limited to 200 a minute"), []int{accepted, limited}, []int{200, 20})
	f.advance("61s")
	_, err = hasty.ListInstances(ctx, nil)
	check(f.say("and the limit ends"), err == nil, err)
}
