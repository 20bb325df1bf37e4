package main

import (
	"context"
	"encoding/base64"
	"sort"
	"strings"

	"github.com/linode/linodego"
)

var ctx = context.Background()

func walkClusters(f *Fake) {
	client := f.beta()
	clusters := must(client.ListLKEClusters(ctx, nil))
	equal(f.say("the account has one cluster"), len(clusters), 1)
	cluster := clusters[0]
	equal(f.say("its tier is shown on v4beta"), cluster.Tier, f.tier)
	equal(f.say("v4 shows no tier"), must(f.client("v4").GetLKECluster(ctx, cluster.ID)).Tier, "")
	check(f.say("its times are read"), cluster.Created != nil && cluster.Created.Year() >= 2020, cluster.Created)
	equal(f.say("it says that it is ready"), cluster.Status, linodego.LKEClusterReady)
	equal(f.say("the control plane is highly available on Enterprise"),
		cluster.ControlPlane.HighAvailability, f.tier == "enterprise")
	found := must(client.ListLKEClusters(ctx, linodego.NewListOptions(0, `{"label":"`+cluster.Label+`"}`)))
	equal(f.say("a filter on the label finds it"), len(found), 1)
	found = must(client.ListLKEClusters(ctx, linodego.NewListOptions(0, `{"label":"none"}`)))
	equal(f.say("a filter on another label finds none"), len(found), 0)

	options := cluster.GetUpdateOptions()
	options.Label, options.Tags = "renamed", &[]string{"team-b", "team-a"}
	changed := must(client.UpdateLKECluster(ctx, cluster.ID, options))
	equal(f.say("the new label is shown"), changed.Label, "renamed")
	tags := must(client.GetLKECluster(ctx, cluster.ID)).Tags
	sort.Strings(tags)
	equal(f.say("the tags are read back"), tags, []string{"team-a", "team-b"})

	created := must(client.CreateLKECluster(ctx, linodego.LKEClusterCreateOptions{
		Label: "second", Region: cluster.Region, K8sVersion: cluster.K8sVersion, Tier: f.tier,
		NodePools: []linodego.LKENodePoolCreateOptions{{Type: "g6-standard-2", Count: 1}, {Type: "g6-standard-1", Count: 2}},
	}))
	equal(f.say("a cluster says at once that it is ready"), created.Status, linodego.LKEClusterReady)
	pools := must(client.ListLKENodePools(ctx, created.ID, nil))
	equal(f.say("its pools are listed"), []int{pools[0].Count, pools[1].Count}, []int{1, 2})
	client.SetRetryCount(0)
	_, err := client.GetLKEClusterKubeconfig(ctx, created.ID)
	refused(f.say("its kubeconfig is not there at once"), err, 503,
		"Cluster kubeconfig is not yet available. Please try again later.")
	_, err = client.ListLKEClusterAPIEndpoints(ctx, created.ID, nil)
	refused(f.say("nor are its endpoints"), err, 503,
		"Cluster API Endpoints are not yet available. Please try again later.")
	f.advance("5m")
	config := must(base64.StdEncoding.DecodeString(must(client.GetLKEClusterKubeconfig(ctx, created.ID)).KubeConfig))
	check(f.say("its kubeconfig is there later"), strings.Contains(string(config), "kind: Config"))
	endpoints := must(client.ListLKEClusterAPIEndpoints(ctx, created.ID, nil))
	check(f.say("its endpoints are URLs"), strings.HasPrefix(endpoints[0].Endpoint, "https://"), endpoints)
	if f.tier == "standard" {
		url := must(client.GetLKEClusterDashboard(ctx, created.ID)).URL
		check(f.say("its dashboard is a URL"), strings.HasPrefix(url, "https://"), url)
	}
	on, ranges := true, []string{"192.0.2.0/24"}
	must(client.UpdateLKEClusterControlPlaneACL(ctx, created.ID, linodego.LKEClusterControlPlaneACLUpdateOptions{
		ACL: linodego.LKEClusterControlPlaneACLOptions{
			Enabled: &on, Addresses: &linodego.LKEClusterControlPlaneACLAddressesOptions{IPv4: &ranges},
		},
	}))
	rules := must(client.GetLKEClusterControlPlaneACL(ctx, created.ID)).ACL
	equal(f.say("rules of the control plane are read back"), rules.Addresses.IPv4, ranges)
	done(client.DeleteLKEClusterControlPlaneACL(ctx, created.ID))
	equal(f.say("deleted rules are off"), must(client.GetLKEClusterControlPlaneACL(ctx, created.ID)).ACL.Enabled, false)
	done(client.DeleteLKEClusterKubeconfig(ctx, created.ID))
	done(client.DeleteLKEClusterServiceToken(ctx, created.ID))
	_, err = client.RegenerateLKECluster(ctx, created.ID, linodego.LKEClusterRegenerateOptions{KubeConfig: true})
	done(err)
	done(client.DeleteLKECluster(ctx, created.ID))
	f.advance("5m")
	_, err = client.GetLKECluster(ctx, created.ID)
	refused(f.say("a deleted cluster is gone after a time"), err, 404, "Not found")
}

func walkCatalogue(f *Fake) {
	client := f.beta()
	types := must(client.ListTypes(ctx, nil))
	check("types are listed", len(types) >= 37, len(types))
	found := must(client.ListTypes(ctx, linodego.NewListOptions(0, `{"class":"nanode"}`)))
	equal("types are filtered", len(found), 1)
	plan := must(client.GetType(ctx, "g6-standard-2"))
	equal("a type has its price", []float32{plan.Price.Hourly, plan.Price.Monthly}, []float32{0.036, 24})
	check("a type has prices of regions", len(plan.RegionPrices) > 0)
	check("regions are listed", len(must(client.ListRegions(ctx, nil))) > 40)
	equal("a region is read", must(client.GetRegion(ctx, "us-ord")).Country, "us")
	// The live API answers with a bare array, which the 1.x line reads as one object.
	_, err := client.GetRegionAvailability(ctx, "us-ord")
	check("a region's availability is a bare list, which this client can't read",
		err != nil && strings.Contains(err.Error(), "cannot unmarshal array"), err)
	all := must(client.ListRegionsAvailability(ctx, linodego.NewListOptions(0, `{"region":"us-ord"}`)))
	check("the availability of all is filtered", len(all) > 0 && all[0].Region == "us-ord", len(all))
	check("versions are listed", len(must(client.ListLKEVersions(ctx, nil))) > 0)
	equal("a version is read", must(client.GetLKEVersion(ctx, "1.35")).ID, "1.35")
	tiered := must(client.ListLKETierVersions(ctx, "enterprise", nil))
	check("versions of a tier are listed", len(tiered) > 0 && tiered[0].Tier == linodego.LKEVersionEnterprise, tiered)
	check("types of control planes are listed", len(must(client.ListLKETypes(ctx, nil))) >= 2)
}
