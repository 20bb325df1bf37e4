"""Walks the served fake with linode_api4 as its users do, and checks what it makes of the answers.

Two fakes, one a tier, whose clocks are moved by hand, so that nothing is waited for but the client's own pauses.
"""

import base64
import functools
import json
import os
import sys
import urllib.request

import requests
from linode_api4 import (
    ApiError,
    Instance,
    LinodeClient,
    LKECluster,
    LKENodePool,
    Region,
    Tag,
    Type,
    and_,
    or_,
)
from linode_api4.objects.filtering import order_by
from linode_api4.objects.region import RegionAvailabilityEntry

TOKEN = "fake-token"
checks = 0
failed = 0


def check(name, truth, found=None):
    """Counts a check and prints its line."""
    global checks, failed
    checks += 1
    if truth:
        print(f"ok      {name}")
    else:
        failed += 1
        print(f"FAILED  {name}" + ("" if found is None else f": found {found!r}"))


def equal(name, found, wanted):
    check(name, found == wanted, found)


def refused(name, status, call, reason=None, field=None):
    """The call ends in an ApiError of this status."""
    try:
        call()
    except ApiError as error:
        listed = (error.json or {}).get("errors", [{}])[0]
        right = error.status == status
        right = right and (reason is None or listed.get("reason") == reason)
        right = right and (field is None or listed.get("field") == field)
        check(name, right, (error.status, listed))
        return
    check(name, False, "no error")


class Fake:
    """The administration interface beside the API."""

    def __init__(self, url):
        self.url = url

    def ask(self, method, path, body=None, accept_error=False):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + "/_fake" + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request) as answer:
            text = answer.read().decode()
        return json.loads(text) if text.startswith(("{", "[")) and "\n{" not in text else text

    def advance(self, by):
        self.ask("POST", "/advance", {"by": by})

    def fault(self, fault):
        self.ask("POST", "/faults", fault)

    def calm(self):
        self.ask("DELETE", "/faults")

    def reset(self):
        self.calm()
        self.ask("POST", "/reset")

    def requests(self, after=0):
        lines = self.ask("GET", "/requests")
        lines = [lines] if isinstance(lines, dict) else [json.loads(line) for line in lines.splitlines()]
        return [line for line in lines if line["n"] > after]

    def last(self):
        return max((line["n"] for line in self.requests()), default=0)

    def state(self):
        return self.ask("GET", "/state")

    def client(self, version="v4beta", **options):
        client = LinodeClient(TOKEN, base_url=f"{self.url}/{version}", **options)
        # The client itself would wait for ever for an answer that is lost.
        client.session.request = functools.partial(client.session.request, timeout=3)
        return client


def walk_clusters(fake, tier):
    client = fake.client()
    clusters = client.lke.clusters()
    equal(f"{tier}: the account has one cluster", len(clusters), 1)
    cluster = clusters[0]
    equal(f"{tier}: its tier is shown on v4beta", cluster.tier, tier)
    equal(f"{tier}: v4 shows no tier", getattr(fake.client("v4").lke.clusters()[0], "tier", None), None)
    check(f"{tier}: its times are dates", cluster.created.year >= 2020, cluster.created)
    equal(f"{tier}: the region is a link to one", cluster.region.id, "us-ord")
    equal(f"{tier}: the control plane is highly available on Enterprise", cluster.control_plane.high_availability,
          tier == "enterprise")
    equal(f"{tier}: a filter on the label finds it", len(client.lke.clusters(LKECluster.label == cluster.label)), 1)
    equal(f"{tier}: a filter on another label finds none", len(client.lke.clusters(LKECluster.label == "none")), 0)

    cluster.tags = ["team-b", "team-a"]
    cluster.label = "renamed"
    check(f"{tier}: a cluster is changed with all that can change", cluster.save())
    again = client.load(LKECluster, cluster.id)
    equal(f"{tier}: the new label is read back", again.label, "renamed")
    equal(f"{tier}: the tags are read back", sorted(again.tags), ["team-a", "team-b"])
    again.label = "cluster-1"
    again.save()

    created = client.lke.cluster_create(
        "us-ord", "second", again.k8s_version.id,
        [client.lke.node_pool("g6-standard-2", 1), client.lke.node_pool("g6-standard-1", 2)], tier=tier,
    )
    equal(f"{tier}: the account has two clusters", len(client.lke.clusters()), 2)
    equal(f"{tier}: the pools of the other are listed", [pool.count for pool in created.pools], [1, 2])
    refused(f"{tier}: its kubeconfig is not there at once", 503, lambda: fake.client(retry=False).load(
        LKECluster, created.id).kubeconfig, "Cluster kubeconfig is not yet available. Please try again later.")
    fake.advance("5m")
    created.invalidate()
    check(f"{tier}: its kubeconfig is there later", b"kind: Config" in base64.b64decode(created.kubeconfig))
    check(f"{tier}: its endpoints are URLs", created.api_endpoints[0].endpoint.startswith("https://"))
    if tier == "standard":
        check("standard: its dashboard is a URL", created.cluster_dashboard_url_view().startswith("https://"))
    created.control_plane_acl_update({"enabled": True, "addresses": {"ipv4": ["192.0.2.0/24"]}})
    created.invalidate()
    equal(f"{tier}: rules of the control plane are read back", created.control_plane_acl.addresses.ipv4,
          ["192.0.2.0/24"])
    created.control_plane_acl_delete()
    created.invalidate()
    equal(f"{tier}: deleted rules are off", created.control_plane_acl.enabled, False)
    created.kubeconfig_delete()
    created.service_token_delete()
    check(f"{tier}: kubeconfig and service token are made anew", True)
    identity = created.id
    created.delete()
    fake.advance("5m")
    refused(f"{tier}: a deleted cluster is gone after a time", 404, lambda: client.load(LKECluster, identity), "Not found")


def walk_pools(fake, tier):
    client = fake.client()
    cluster = client.lke.clusters()[0]
    equal(f"{tier}: the base pool is listed", [pool.type.id for pool in cluster.pools], ["g6-standard-2"])
    pool = cluster.node_pool_create(
        "g6-standard-4", 2, labels={"team": "a"}, label="workers",
        taints=[{"key": "dedicated", "value": "x", "effect": "NoSchedule"}], tags=["walk-pool"],
        autoscaler={"enabled": True, "min": 1, "max": 5},
    )
    if tier == "standard":
        equal("standard: the reply to a pool's creation lists its nodes", len(pool.nodes), 2)
    else:
        equal("enterprise: the reply to a pool's creation lists no nodes", len(pool.nodes), 0)
        check("enterprise: the pool has a version", bool(pool.k8s_version))
        equal("enterprise: the strategy is the usual one", pool.update_strategy, "on_recycle")
    equal(f"{tier}: labels are read back", dict(vars(pool.labels).items()) if hasattr(pool.labels, "__dict__") else
          pool.labels, {"team": "a"})
    equal(f"{tier}: taints are read back", [taint.effect for taint in pool.taints], ["NoSchedule"])
    equal(f"{tier}: bounds are read back", (pool.autoscaler.enabled, pool.autoscaler.min, pool.autoscaler.max),
          (True, 1, 5))
    fake.advance("3m")
    pool = client.load(LKENodePool, pool.id, cluster.id)
    equal(f"{tier}: after a time all nodes are listed", len(pool.nodes), 2)
    check(f"{tier}: nodes are sorted by id", [node.id for node in pool.nodes] == sorted(n.id for n in pool.nodes))
    check(f"{tier}: nodes have their Linodes", all(isinstance(node.instance_id, int) for node in pool.nodes))
    equal(f"{tier}: a node's Linode belongs to the cluster", pool.nodes[0].instance.lke_cluster_id, cluster.id)
    inherits = "walk-pool" in pool.nodes[0].instance.tags
    equal(f"{tier}: pool tags reach Linodes on Enterprise alone", inherits, tier == "enterprise")

    pool.count = 3
    pool.tags = ["walk-pool", "more"]
    check(f"{tier}: a pool is changed with all that can change", pool.save())
    fake.advance("3m")
    pool = client.load(LKENodePool, pool.id, cluster.id)
    equal(f"{tier}: the new count is read back", (pool.count, len(pool.nodes)), (3, 3))
    equal(f"{tier}: a count leaves bounds alone", (pool.autoscaler.min, pool.autoscaler.max), (1, 5))

    first, second = pool.nodes[0], pool.nodes[1]
    equal(f"{tier}: a node is read alone", cluster.node_view(first.id).instance_id, first.instance_id)
    cluster.node_recycle(first.id)
    refused(f"{tier}: a recycled node's id is gone", 404, lambda: cluster.node_view(first.id), "Not found")
    cluster.node_delete(second.id)
    pool = client.load(LKENodePool, pool.id, cluster.id)
    equal(f"{tier}: a deleted node lowers the count", pool.count, 2)
    fake.advance("3m")
    pool = client.load(LKENodePool, pool.id, cluster.id)
    check(f"{tier}: what was recycled came back under other ids",
          len(pool.nodes) == 2 and first.id not in [node.id for node in pool.nodes])
    before = {node.id for node in pool.nodes}
    pool.recycle()
    fake.advance("3m")
    pool = client.load(LKENodePool, pool.id, cluster.id)
    check(f"{tier}: a recycled pool has other nodes", len(pool.nodes) == 2 and not before & {n.id for n in pool.nodes})
    cluster.cluster_nodes_recycle()
    fake.advance("3m")
    check(f"{tier}: a recycled cluster keeps its pools", len(client.load(LKECluster, cluster.id).pools) == 2)
    refused(f"{tier}: a pool of a type that is none is refused", 400,
            lambda: cluster.node_pool_create("g6-none", 1), field="type")
    pool.delete()
    refused(f"{tier}: a deleted pool is gone", 404, lambda: client.load(LKENodePool, pool.id, cluster.id), "Not found")


def walk_instances(fake, tier):
    client = fake.client()
    all_linodes = client.linode.instances()
    equal(f"{tier}: three Linodes", len(all_linodes), 3)
    linode = all_linodes[0]
    check(f"{tier}: a node of LKE has two addresses", len(linode.ipv4) == 2, linode.ipv4)
    equal(f"{tier}: its type is a link to one", linode.type.id, "g6-standard-2")
    equal(f"{tier}: its specs are the type's", (linode.specs.vcpus, linode.specs.memory), (2, 4096))
    linode.tags = ["walk=1", "other"]
    check(f"{tier}: a Linode is changed with all that can change", linode.save())
    fake.advance("1m")
    tags = client.load(Instance, linode.id).tags
    equal(f"{tier}: tags are replaced as a whole", sorted(tags), ["other", "walk=1"])
    found = client.linode.instances(Instance.tags.contains("walk="))
    equal(f"{tier}: a filter finds part of a tag", [one.id for one in found], [linode.id])
    found = client.linode.instances(Instance.tags == "walk=")
    equal(f"{tier}: a tag is equal as a whole", len(found), 0)
    found = client.linode.instances(and_(Instance.tags.contains("walk="), Instance.label != "x"))
    equal(f"{tier}: tests are joined by and", len(found), 1)
    found = client.linode.instances(or_(Instance.label == linode.label, Instance.label == "x"))
    equal(f"{tier}: tests are joined by or", len(found), 1)
    found = client.linode.instances(Instance.lke_cluster_id == linode.lke_cluster_id)
    equal(f"{tier}: Linodes are found by their cluster", len(found), 3)
    found = client.linode.instances(order_by(Instance.id, desc=True))
    equal(f"{tier}: a list is ordered", [one.id for one in found], sorted((one.id for one in found), reverse=True))
    refused(f"{tier}: a field that is no filter is refused", 400,
            lambda: client.linode.instances(Instance.hypervisor == "kvm"), "Cannot filter on hypervisor", "X-Filter")
    refused(f"{tier}: a Linode that is none is not found", 404, lambda: client.load(Instance, 404404), "Not found")

    other = client.linode.instance_create("g6-nanode-1", "us-ord", label="walk-plain")
    fake.advance("5m")
    equal(f"{tier}: a Linode without an image is off", client.load(Instance, other.id).status, "offline")
    equal(f"{tier}: it is in no cluster", client.load(Instance, other.id).lke_cluster_id, None)
    refused(f"{tier}: a label is had once", 400,
            lambda: client.linode.instance_create("g6-nanode-1", "us-ord", label="walk-plain"),
            "Label must be unique among your linodes", "label")
    other.boot()
    fake.advance("5m")
    equal(f"{tier}: it boots", client.load(Instance, other.id).status, "running")
    other.reboot()
    equal(f"{tier}: it reboots", client.load(Instance, other.id).status, "rebooting")
    refused(f"{tier}: it is busy meanwhile", 400, lambda: other.shutdown(), "Linode busy.")
    fake.advance("5m")
    other.shutdown()
    fake.advance("5m")
    equal(f"{tier}: it is shut down", client.load(Instance, other.id).status, "offline")
    other.delete()
    fake.advance("5m")
    refused(f"{tier}: a deleted Linode is gone after a time", 404, lambda: client.load(Instance, other.id))


def walk_tags(fake, tier):
    client = fake.client()
    linodes = client.linode.instances()
    tag = client.tags.create("walk-tag", instances=[linodes[0], linodes[1]])
    equal(f"{tier}: a tag is made", tag.label, "walk-tag")
    client.tags.create("a-first")
    fake.advance("1m")
    labels = [one.label for one in client.tags()]
    check(f"{tier}: tags are listed in order", labels == sorted(labels) and "a-first" in labels, labels)
    objects = client.load(Tag, "walk-tag").objects
    equal(f"{tier}: what bears a tag is listed", sorted(one.id for one in objects),
          sorted([linodes[0].id, linodes[1].id]))
    check(f"{tier}: and made into its own kind", all(isinstance(one, Instance) for one in objects))
    client.load(Tag, "walk-tag").delete()
    fake.advance("1m")
    equal(f"{tier}: a deleted tag leaves what bore it", "walk-tag" in client.load(Instance, linodes[0].id).tags, False)
    refused(f"{tier}: a tag that is none is not found", 404, lambda: client.load(Tag, "walk-tag"))
    refused(f"{tier}: a tag is not too short", 400, lambda: client.tags.create("ab"))


def walk_catalogue(fake):
    client = fake.client()
    types = client.linode.types()
    check("types are listed", len(types) >= 37)
    equal("types are filtered", {one.id for one in client.linode.types(Type.type_class == "nanode")}, {"g6-nanode-1"})
    plan = client.load(Type, "g6-standard-2")
    equal("a type has its prices", (plan.price.hourly, plan.price.monthly), (0.036, 24.0))
    check("a type has prices of regions", any(one.id == "id-cgk" for one in plan.region_prices))
    regions = client.regions()
    check("regions are listed", any(one.id == "us-ord" for one in regions))
    equal("a region is read", client.load(Region, "us-ord").country, "us")
    check("a region's availability is a bare list", any(row.available for row in client.load(Region, "us-ord").availability))
    rows = client.regions.availability(RegionAvailabilityEntry.filters.region == "us-ord")
    check("the availability of all is filtered", len(rows) > 0 and all(row.region == "us-ord" for row in rows))
    check("versions are listed", "1.35" in [one.id for one in client.lke.versions()])
    check("versions of a tier are listed", all(one.tier == "enterprise" for one in client.lke.tier("enterprise").versions()))
    equal("types of control planes are listed", {"lke-sa", "lke-ha"} - {one.id for one in client.lke.types()}, set())


def walk_pages(fake, tier):
    client = fake.client(page_size=25)
    cluster = client.lke.clusters()[0]
    cluster.node_pool_create("g6-standard-1", 57)
    fake.advance("3m")
    after = fake.last()
    linodes = client.linode.instances()
    equal(f"{tier}: the list tells how many there are", len(linodes), 60)
    equal(f"{tier}: every page is walked", len({one.id for one in linodes}), 60)
    asked = [line["query"] for line in fake.requests(after)]
    equal(f"{tier}: in three requests", len(asked), 3)
    refused(f"{tier}: a page is not too short", 400, lambda: fake.client(page_size=24).linode.instances(),
            "Must be 25-500", "page_size")
    linodes = client.linode.instances()
    linodes[0].delete()
    fake.advance("2m")
    fake.advance("20m")
    fault = {"partial": {"call": "ListInstances", "keep": 30}}
    fake.fault(fault)
    try:
        list(linodes)
        check(f"{tier}: a list that changes between pages is noticed", False)
    except RuntimeError as error:
        check(f"{tier}: a list that changes between pages is noticed", "has changed" in str(error))
    fake.calm()


def walk_faults(fake, tier):
    client = fake.client()
    own = client.lke.clusters()[0].id
    fake.fault({"refuse": {"call": "ListInstances", "status": 429, "reason": "Too many requests", "nth": 1,
                           "retry_after": "1s"}})
    after = fake.last()
    equal(f"{tier}: a 429 is waited out", len(client.linode.instances()) > 0, True)
    equal(f"{tier}: by asking twice", [line["status"] for line in fake.requests(after)], [429, 200])
    fake.calm()

    fake.fault({"refuse": {"call": "GetLKECluster", "status": 503, "nth": "1..2", "retry_after": "1s"}})
    after = fake.last()
    equal(f"{tier}: a 503 that says when is waited out", client.load(LKECluster, own).id, own)
    equal(f"{tier}: by asking three times", [line["status"] for line in fake.requests(after)], [503, 503, 200])
    fake.calm()

    fake.fault({"refuse": {"call": "GetLKECluster", "status": 503, "retry_after": "none"}})
    after = fake.last()
    refused(f"{tier}: a 503 that does not say when is an error", 503, lambda: client.load(LKECluster, own))
    equal(f"{tier}: at once", len(fake.requests(after)), 1)
    fake.calm()

    fake.fault({"refuse": {"call": "any", "status": 503, "retry_after": "none", "maintenance": True,
                           "reason": "All endpoints are temporarily unavailable."}})
    raw = requests.get(f"{fake.url}/v4beta/lke/clusters", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=5)
    check(f"{tier}: maintenance is told in a header", "X-Maintenance-Mode" in raw.headers, dict(raw.headers))
    refused(f"{tier}: maintenance is an error", 503, lambda: client.linode.instances())
    fake.calm()

    fake.fault({"refuse": {"call": "CreateLKENodePool", "status": 403}})
    refused(f"{tier}: what is forbidden is an error", 403,
            lambda: client.lke.clusters()[0].node_pool_create("g6-standard-1", 1))
    fake.calm()

    impatient = fake.client(retry=False)
    before = len(impatient.load(LKECluster, own).pools)
    fake.fault({"lose": {"call": "CreateLKENodePool", "nth": 1}})
    cluster = impatient.load(LKECluster, own)
    try:
        cluster.node_pool_create("g6-standard-1", 1)
        check(f"{tier}: a lost answer is an error", False)
    except requests.exceptions.RequestException:
        check(f"{tier}: a lost answer is an error", True)
    fake.calm()
    equal(f"{tier}: though the pool was made", len(impatient.load(LKECluster, own).pools), before + 1)

    patient = fake.client(retry_rate_limit_interval=0.05)
    before = len(patient.load(LKECluster, own).pools)
    fake.fault({"lose": {"call": "CreateLKENodePool", "nth": 1}})
    patient.load(LKECluster, own).node_pool_create("g6-standard-1", 1)
    fake.calm()
    equal(f"{tier}: the client's own second try makes a second pool", len(patient.load(LKECluster, own).pools), before + 2)

    foreign = LinodeClient("nobody's", base_url=f"{fake.url}/v4beta")
    refused(f"{tier}: a token that is none is refused", 401, lambda: foreign.linode.instances(), "Invalid Token")
    fake.advance("2m")
    hasty = fake.client(retry=False)
    statuses = []
    for _ in range(220):
        try:
            hasty.get("/linode/instances")
            statuses.append(200)
        except ApiError as error:
            statuses.append(error.status)
    equal(f"{tier}: lists are limited to 200 a minute", (statuses.count(200), statuses.count(429)), (200, 20))
    fake.advance("61s")
    equal(f"{tier}: and the limit ends", len(hasty.linode.instances()) > 0, True)


for tier, variable in (("standard", "FAKE_STANDARD"), ("enterprise", "FAKE_ENTERPRISE")):
    fake = Fake(os.environ[variable])
    for walk in (walk_clusters, walk_pools, walk_instances, walk_tags, walk_pages, walk_faults):
        fake.reset()
        walk(fake, tier)
walk_catalogue(Fake(os.environ["FAKE_STANDARD"]))

if failed:
    print(f"{checks} checks, {failed} FAILED")
    sys.exit(1)
print(f"{checks} checks, all passed")
