package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	core "sigs.k8s.io/karpenter/pkg/cloudprovider"
)

// record is what came of a case.
type record struct {
	Case  string          `json:"case"`
	Boot  []call          `json:"boot"`
	Steps []came          `json:"steps"`
	State json.RawMessage `json:"state"`
	Kube  kubeState       `json:"kube"`
}

// came is what came of a step: one result, or one for each that ran beside the others.
type came struct {
	Results []result `json:"results"`
	Calls   []call   `json:"calls"`
}

type result struct {
	Class       string   `json:"class"`
	Reason      string   `json:"reason,omitempty"`
	ProviderIDs []string `json:"provider_ids,omitempty"`
	Text        string   `json:"text,omitempty"`
}

// kubeState is what the API server has at the end.
type kubeState struct {
	Tagged []string `json:"tagged"`
	Nodes  []string `json:"nodes"`
}

func drive(f *fake, job job) (*record, error) {
	p, err := boot(f, job.file)
	if err != nil {
		return nil, fmt.Errorf("boot: %w", err)
	}
	r := &record{Case: job.id(), Steps: []came{}}
	if r.Boot, err = f.calls(); err != nil {
		return nil, err
	}
	for i, step := range job.file.Steps {
		each := []result{{}}
		if len(step.Parallel) > 0 {
			each = make([]result, len(step.Parallel))
			var all sync.WaitGroup
			problems := make([]error, len(step.Parallel))
			for at, part := range step.Parallel {
				all.Add(1)
				go func() {
					defer all.Done()
					each[at], problems[at] = p.take(f, part)
				}()
			}
			all.Wait()
			err = errors.Join(problems...)
		} else {
			each[0], err = p.take(f, step)
		}
		if err != nil {
			return nil, fmt.Errorf("steps[%d]: %w", i, err)
		}
		calls, err := f.calls()
		if err != nil {
			return nil, err
		}
		r.Steps = append(r.Steps, came{Results: each, Calls: calls})
	}
	if r.State, err = f.state(); err != nil {
		return nil, err
	}
	r.Kube, err = p.kubeState()
	return r, err
}

// take takes one step. The error is of the driver; what the provider says is in the result.
func (p *provider) take(f *fake, s step) (result, error) {
	after, err := span(s.After)
	if err != nil {
		return result{}, err
	}
	time.Sleep(after)
	switch {
	case s.Create != nil:
		made, err := s.Create.nodeClaim()
		if err != nil {
			return result{}, err
		}
		// Karpenter's core gives the object of its cache, which the provider must not change.
		got, err := p.cloud.Create(p.ctx, made.DeepCopy())
		return one(got, err), nil
	case s.Get != nil:
		got, err := p.cloud.Get(p.ctx, s.Get.providerID())
		return one(got, err), nil
	case s.List != nil:
		got, err := p.cloud.List(p.ctx)
		return told(got, err), nil
	case s.Delete != nil:
		made, err := claim{Claim: "deleted", ID: s.Delete.ID, ProviderID: s.Delete.ProviderID}.nodeClaim()
		if err != nil {
			return result{}, err
		}
		return told(nil, p.cloud.Delete(p.ctx, made)), nil
	case s.Tags != nil:
		return told(nil, p.nodes.CreateTags(p.ctx, strconv.Itoa(s.Tags.ID), s.Tags.Tags)), nil
	case s.Collect != nil:
		_, err := p.collect.Reconcile(p.ctx)
		return told(nil, err), nil
	case s.Tag != nil:
		return p.tagUntilQuiet(*s.Tag)
	case s.Store != nil:
		return result{Class: "done"}, p.store(*s.Store)
	case s.Hand != nil:
		return result{Class: "done"}, f.act(*s.Hand)
	case s.Wait != "":
		wait, err := span(s.Wait)
		time.Sleep(wait)
		return result{Class: "done"}, err
	}
	return result{}, fmt.Errorf("an empty step")
}

// tagUntilQuiet reconciles a NodeClaim as its controller does: once for each event, of which the controller's own patch
// makes one, and again after an error, at most five times.
func (p *provider) tagUntilQuiet(c claim) (result, error) {
	made, err := p.apply(c)
	if err != nil {
		return result{}, err
	}
	var last error
	failures := 0
	for failures < 5 {
		if err := p.kube.Get(p.ctx, client.ObjectKeyFromObject(made), made); err != nil {
			return result{}, err
		}
		before := made.ResourceVersion
		_, last = p.tag.Reconcile(p.ctx, made.DeepCopy())
		if last != nil {
			failures++
			time.Sleep(100 * time.Millisecond << (failures - 1))
			continue
		}
		if err := p.kube.Get(p.ctx, client.ObjectKeyFromObject(made), made); err != nil {
			return result{}, err
		}
		if made.ResourceVersion == before {
			break
		}
	}
	return told(nil, last), nil
}

// apply puts a NodeClaim into the API server, in place of one of its name.
func (p *provider) apply(c claim) (*karpv1.NodeClaim, error) {
	made, err := c.nodeClaim()
	if err != nil {
		return nil, err
	}
	present := &karpv1.NodeClaim{}
	err = p.kube.Get(p.ctx, client.ObjectKeyFromObject(made), present)
	switch {
	case apierrors.IsNotFound(err):
		deleting := made.DeletionTimestamp != nil
		made.DeletionTimestamp = nil
		if err := p.kube.Create(p.ctx, made); err != nil {
			return nil, err
		}
		if deleting {
			return made, p.kube.Delete(p.ctx, made)
		}
		return made, nil
	case err != nil:
		return nil, err
	}
	present.Status = made.Status
	return present, p.kube.Update(p.ctx, present)
}

func (p *provider) store(s stored) error {
	for _, c := range s.Claims {
		if _, err := p.apply(c); err != nil {
			return err
		}
	}
	for _, n := range s.Nodes {
		object := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: n.Node},
			Spec:       corev1.NodeSpec{ProviderID: target{ID: n.ID}.providerID()},
		}
		if err := p.kube.Create(p.ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func (p *provider) kubeState() (kubeState, error) {
	state := kubeState{Tagged: []string{}, Nodes: []string{}}
	claims, nodes := &karpv1.NodeClaimList{}, &corev1.NodeList{}
	if err := p.kube.List(p.ctx, claims); err != nil {
		return state, err
	}
	if err := p.kube.List(p.ctx, nodes); err != nil {
		return state, err
	}
	for _, claim := range claims.Items {
		if claim.Annotations["karpenter.k8s.linode/tagged"] == "true" {
			state.Tagged = append(state.Tagged, claim.Name)
		}
	}
	for _, node := range nodes.Items {
		state.Nodes = append(state.Nodes, node.Name)
	}
	return state, nil
}

func one(got *karpv1.NodeClaim, err error) result {
	if err != nil {
		return told(nil, err)
	}
	return told([]*karpv1.NodeClaim{got}, nil)
}

// told names the class of an outcome by what Karpenter's core does with it.
func told(got []*karpv1.NodeClaim, err error) result {
	if err == nil {
		r := result{Class: "ok"}
		for _, claim := range got {
			r.ProviderIDs = append(r.ProviderIDs, claim.Status.ProviderID)
		}
		return r
	}
	r := result{Class: "error", Text: err.Error()}
	var create *core.CreateError
	switch {
	case core.IsNodeClaimNotFoundError(err):
		r.Class = "NodeClaimNotFound"
	case core.IsInsufficientCapacityError(err):
		r.Class = "InsufficientCapacity"
	case core.IsNodeClassNotReadyError(err):
		r.Class = "NodeClassNotReady"
	case errors.As(err, &create):
		r.Class, r.Reason = "CreateError", create.ConditionReason
	}
	return r
}
